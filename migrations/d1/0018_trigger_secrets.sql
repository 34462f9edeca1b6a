CREATE TABLE `trigger_secrets` (
	`trigger_id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`sealed` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `trigger_secrets_by_project` ON `trigger_secrets` (`project_id`);