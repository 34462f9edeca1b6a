CREATE TABLE `session_restores` (
	`session_id` text PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`to_time` integer NOT NULL,
	`sandbox_key` text NOT NULL,
	`last_event_id` integer NOT NULL,
	`undo` text,
	`asked_at` integer NOT NULL,
	`settled_at` integer
);
--> statement-breakpoint
CREATE INDEX `activity_of_deleted_sessions` ON `activity` (`session_id`) WHERE kind = 'session_deleted';