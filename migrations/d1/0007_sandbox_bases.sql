CREATE TABLE `base_users` (
	`sandbox_key` text PRIMARY KEY NOT NULL,
	`base_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `base_users_by_base` ON `base_users` (`base_id`);--> statement-breakpoint
CREATE TABLE `sandbox_bases` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sandbox_bases_by_fingerprint` ON `sandbox_bases` (`project_id`,`fingerprint`);