CREATE TABLE `session` (
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
	`assignee` text,
	`created_by` text,
	`filed_by` text,
	`pr_url` text,
	`pr_number` integer,
	`pr_state` text,
	`is_behind` integer NOT NULL,
	`conversation_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`pause_reason` text,
	`paused_at` integer
);
--> statement-breakpoint
CREATE TABLE `turns` (
	`id` text PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`error_code` text,
	`sender` text NOT NULL,
	`model` text,
	`generation` integer NOT NULL,
	`stop_requested_at` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`completed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `turns_by_number` ON `turns` (`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `one_unfinished_turn` ON `turns` (1) WHERE status in ('pending', 'running');--> statement-breakpoint
CREATE INDEX `turns_by_status` ON `turns` (`status`);--> statement-breakpoint
CREATE TABLE `up_next` (
	`id` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`content` text NOT NULL,
	`author` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `blocks` (
	`turn_id` text NOT NULL,
	`place` integer NOT NULL,
	`message_seq` integer NOT NULL,
	`block` text NOT NULL,
	PRIMARY KEY(`turn_id`, `place`)
);
--> statement-breakpoint
CREATE INDEX `blocks_by_message` ON `blocks` (`message_seq`,`place`);--> statement-breakpoint
CREATE TABLE `links` (
	`turn_id` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`last_event_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`role` text NOT NULL,
	`turn_id` text NOT NULL,
	`content` text,
	`delivery` text,
	`author` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `messages_by_turn` ON `messages` (`turn_id`);--> statement-breakpoint
CREATE TABLE `effects` (
	`key` text PRIMARY KEY NOT NULL,
	`effect` text NOT NULL,
	`ticket` integer NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `reminders` (
	`name` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
