CREATE TABLE `cron_projects` (
	`cron_id` text NOT NULL,
	`project_id` text NOT NULL,
	`paused_at` integer,
	`paused_reason` text,
	`last_run_status` text,
	PRIMARY KEY(`cron_id`, `project_id`)
);
--> statement-breakpoint
CREATE INDEX `cron_projects_by_project` ON `cron_projects` (`project_id`);--> statement-breakpoint
CREATE TABLE `cron_run_counts` (
	`cron_id` text NOT NULL,
	`project_id` text NOT NULL,
	`status` text NOT NULL,
	`runs` integer NOT NULL,
	PRIMARY KEY(`cron_id`, `project_id`, `status`)
);
--> statement-breakpoint
CREATE TABLE `cron_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`cron_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`project_name` text NOT NULL,
	`slot` integer,
	`status` text NOT NULL,
	`summary` text,
	`error` text,
	`error_code` text,
	`stop_source` text,
	`model` text,
	`is_opened` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`completed_at` integer
);
--> statement-breakpoint
CREATE INDEX `cron_runs_by_cron` ON `cron_runs` (`cron_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `cron_runs_by_status` ON `cron_runs` (`cron_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `cron_runs_by_project` ON `cron_runs` (`cron_id`,`project_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `cron_runs_by_slot` ON `cron_runs` (`cron_id`,`project_id`,`slot`);--> statement-breakpoint
CREATE INDEX `cron_runs_unfinished` ON `cron_runs` (`created_at`,`project_id`) WHERE status = 'running';--> statement-breakpoint
CREATE TABLE `crons` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`prompt` text NOT NULL,
	`cron_expression` text NOT NULL,
	`model` text,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`created_by` text NOT NULL,
	`next_slot` integer,
	`last_run_at` integer,
	`last_run_status` text,
	`search_text` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `crons_by_workspace` ON `crons` (`workspace_id`,`created_at`,`id`,`created_by`);--> statement-breakpoint
CREATE INDEX `crons_by_slot` ON `crons` (`next_slot`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `filed_cron_id` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `filed_run_id` text;--> statement-breakpoint
CREATE INDEX `sessions_by_run` ON `sessions` (`filed_run_id`) WHERE filed_run_id IS NOT NULL;