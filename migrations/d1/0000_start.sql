CREATE TABLE `workspace_credentials` (
	`workspace_id` text NOT NULL,
	`provider` text NOT NULL,
	`sealed` text NOT NULL,
	`last_four` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `provider`)
);
--> statement-breakpoint
CREATE TABLE `keys` (
	`hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`user_id` text,
	`workspace_id` text,
	`name` text NOT NULL,
	`last_four` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer
);
--> statement-breakpoint
CREATE INDEX `keys_by_user` ON `keys` (`user_id`);--> statement-breakpoint
CREATE TABLE `members` (
	`workspace_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`joined_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `user_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `members_by_user` ON `members` (`user_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`image_url` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_email` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`logo` text,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`default_model` text,
	`plan` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workspaces_by_slug` ON `workspaces` (`slug`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`repository` text NOT NULL,
	`target_branch` text NOT NULL,
	`deploy_status` text NOT NULL,
	`settings` text NOT NULL,
	`main_sandbox_key` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `projects_by_workspace` ON `projects` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `sandbox_slots` (
	`sandbox_key` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`session_id` text NOT NULL,
	`claimed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sandbox_slots_by_workspace` ON `sandbox_slots` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `share_links` (
	`slug` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`session_id` text,
	`sandbox_key` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`last_viewed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `share_links_by_sandbox` ON `share_links` (`sandbox_key`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`number` integer NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `jobs_by_session` ON `jobs` (`session_id`,`number`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`title` text NOT NULL,
	`prompt` text,
	`status` text NOT NULL,
	`priority` text NOT NULL,
	`model` text,
	`branch` text,
	`target_branch` text NOT NULL,
	`sandbox_key` text NOT NULL,
	`assignee_kind` text,
	`assignee_id` text,
	`created_by` text,
	`filed_by` text,
	`pr_url` text,
	`is_behind` integer NOT NULL,
	`turn_id` text,
	`turn_number` integer,
	`turn_status` text,
	`queue_count` integer NOT NULL,
	`pause_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `sessions_by_project` ON `sessions` (`project_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `sessions_by_workspace` ON `sessions` (`workspace_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `sessions_by_turn_status` ON `sessions` (`turn_status`,`updated_at`);