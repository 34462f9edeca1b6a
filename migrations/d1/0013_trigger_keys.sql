CREATE TABLE `trigger_keys` (
	`trigger_id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `trigger_keys_by_hash` ON `trigger_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `trigger_keys_by_project` ON `trigger_keys` (`project_id`);--> statement-breakpoint
CREATE TABLE `trigger_places` (
	`project_id` text NOT NULL,
	`kind` text NOT NULL,
	`external_id` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `kind`, `external_id`)
);
--> statement-breakpoint
CREATE INDEX `trigger_places_by_session` ON `trigger_places` (`session_id`);