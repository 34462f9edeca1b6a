CREATE TABLE `running_time` (
	`workspace_id` text NOT NULL,
	`month` text NOT NULL,
	`ms` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `month`)
);
--> statement-breakpoint
CREATE TABLE `session_creates` (
	`key` text PRIMARY KEY NOT NULL,
	`body_hash` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `keys` ADD `session_id` text;--> statement-breakpoint
ALTER TABLE `keys` ADD `turn_id` text;--> statement-breakpoint
CREATE INDEX `keys_by_turn` ON `keys` (`turn_id`);--> statement-breakpoint
CREATE INDEX `keys_by_workspace` ON `keys` (`workspace_id`,`kind`);--> statement-breakpoint
ALTER TABLE `sandbox_slots` ADD `state` text DEFAULT 'starting' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `pr_number` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `pr_state` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `paused_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `needs_you` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `search_title` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `search_prompt` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `sessions` SET `search_title` = lower(`title`), `search_prompt` = lower(coalesce(`prompt`, ''));
