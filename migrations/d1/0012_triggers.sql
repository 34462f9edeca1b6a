CREATE TABLE `trigger_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`trigger_id` text NOT NULL,
	`trigger_name` text NOT NULL,
	`cause` text NOT NULL,
	`url` text,
	`session_id` text NOT NULL,
	`outcome` text,
	`reason` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `trigger_runs_by_cause` ON `trigger_runs` (`trigger_id`,`cause`);--> statement-breakpoint
CREATE INDEX `trigger_runs_by_project` ON `trigger_runs` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `trigger_runs_by_time` ON `trigger_runs` (`created_at`);--> statement-breakpoint
CREATE TABLE `triggers` (
	`project_id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`triggers` text NOT NULL
);
