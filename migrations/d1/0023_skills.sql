CREATE TABLE `skills` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`argument_hint` text,
	`enabled` integer NOT NULL,
	`file_count` integer NOT NULL,
	`hash` text NOT NULL,
	`body_key` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `skills_by_name` ON `skills` (`owner_type`,`owner_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `skills_by_body` ON `skills` (`body_key`);