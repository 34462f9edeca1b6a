CREATE TABLE `event_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`turn_id` text,
	`event` text NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_log_by_turn` ON `event_log` (`turn_id`) WHERE event <> 'answer-text';