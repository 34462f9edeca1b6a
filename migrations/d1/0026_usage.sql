CREATE TABLE `usage` (
	`work_id` text NOT NULL,
	`day` text NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`member_id` text,
	`cron_id` text,
	`model` text,
	`payer_id` text,
	`calls` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`cached_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`nano_usd` integer,
	`at` integer NOT NULL,
	PRIMARY KEY(`work_id`, `day`)
);
--> statement-breakpoint
CREATE INDEX `usage_by_workspace` ON `usage` (`workspace_id`,`at`);--> statement-breakpoint
CREATE TABLE `workspace_spend` (
	`workspace_id` text NOT NULL,
	`month` text NOT NULL,
	`nano_usd` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `month`)
);
--> statement-breakpoint
ALTER TABLE `workspaces` ADD `spend_limit_usd` real;--> statement-breakpoint
ALTER TABLE `sessions` ADD `spend_limit_usd` real;