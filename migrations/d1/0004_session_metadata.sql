CREATE TABLE `session_metadata` (
	`session_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`session_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `session_metadata_by_value` ON `session_metadata` (`key`,`value`,`session_id`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `metadata` text DEFAULT '{}' NOT NULL;