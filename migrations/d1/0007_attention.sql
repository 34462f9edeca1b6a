CREATE TABLE `session_seen` (
	`session_id` text NOT NULL,
	`user_id` text NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`session_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `session_seen_by_user` ON `session_seen` (`user_id`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `needs_you_since` integer;