CREATE TABLE `branch_heads` (
	`id` integer PRIMARY KEY NOT NULL,
	`own` text NOT NULL,
	`others` text
);
--> statement-breakpoint
CREATE TABLE `events_once` (
	`once` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `filings` (
	`turn_id` text NOT NULL,
	`filed_id` text NOT NULL,
	PRIMARY KEY(`turn_id`, `filed_id`)
);
--> statement-breakpoint
CREATE TABLE `review_comments` (
	`id` text PRIMARY KEY NOT NULL,
	`file_path` text NOT NULL,
	`side` text NOT NULL,
	`start_line_number` integer NOT NULL,
	`end_line_number` integer NOT NULL,
	`body` text NOT NULL,
	`line_snapshot` text NOT NULL,
	`resolved` integer NOT NULL,
	`outdated` integer DEFAULT false NOT NULL,
	`author` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`title` text NOT NULL,
	`prompt` text,
	`status` text NOT NULL,
	`priority` text NOT NULL,
	`model` text,
	`spend_limit_usd` real,
	`branch` text,
	`target_branch` text NOT NULL,
	`sandbox_key` text NOT NULL,
	`created_by` text,
	`filed_by` text,
	`pr_url` text,
	`pr_number` integer,
	`pr_state` text,
	`pr_base` text,
	`is_behind` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`pause_reason` text,
	`paused_at` integer,
	`prompt_writer` text,
	`filed_depth` integer DEFAULT 0 NOT NULL,
	`assignee` text,
	`conversation_id` text NOT NULL,
	`cleared_at` integer,
	`command` text,
	`target_commit` text,
	`pr_report` text,
	`open_pr` text,
	`ship` text
);
--> statement-breakpoint
CREATE TABLE `blocks` (
	`turn_id` text NOT NULL,
	`place` integer NOT NULL,
	`message_seq` integer NOT NULL,
	`block` text NOT NULL,
	`cursor` text,
	PRIMARY KEY(`turn_id`, `place`)
);
--> statement-breakpoint
CREATE INDEX `blocks_by_message` ON `blocks` (`message_seq`,`place`);--> statement-breakpoint
CREATE TABLE `event_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`turn_id` text,
	`event` text NOT NULL,
	`data` text NOT NULL,
	`total_bytes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_log_by_turn` ON `event_log` (`turn_id`) WHERE event <> 'answer-text';--> statement-breakpoint
CREATE TABLE `left_up_next` (
	`id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `links` (
	`turn_id` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`last_event_at` integer NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`role` text NOT NULL,
	`turn_id` text NOT NULL,
	`content` text,
	`attachments` text DEFAULT '[]' NOT NULL,
	`context` text DEFAULT '{"preview":null,"reviewCommentIds":[]}' NOT NULL,
	`delivery` text,
	`author` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `messages_by_turn` ON `messages` (`turn_id`);--> statement-breakpoint
CREATE TABLE `model_calls` (
	`id` text PRIMARY KEY NOT NULL,
	`work_id` text NOT NULL,
	`member_id` text,
	`model` text,
	`payer` text NOT NULL,
	`input_tokens` integer NOT NULL,
	`cached_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`nano_usd` integer,
	`at` integer NOT NULL,
	`spent_nano_usd` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `model_calls_by_work` ON `model_calls` (`work_id`);--> statement-breakpoint
CREATE TABLE `steers` (
	`id` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`content` text NOT NULL,
	`attachments` text DEFAULT '[]' NOT NULL,
	`context` text DEFAULT '{"preview":null,"reviewCommentIds":[]}' NOT NULL,
	`author` text NOT NULL,
	`version` integer NOT NULL,
	`editing` text,
	`created_at` integer NOT NULL,
	`steer_id` text NOT NULL,
	`turn_id` text NOT NULL
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
	`payer` text,
	`usage` text,
	`conversation_id` text DEFAULT '' NOT NULL,
	`is_handover` integer DEFAULT false NOT NULL,
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
	`attachments` text DEFAULT '[]' NOT NULL,
	`context` text DEFAULT '{"preview":null,"reviewCommentIds":[]}' NOT NULL,
	`author` text NOT NULL,
	`version` integer NOT NULL,
	`editing` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `answers` (
	`key` text PRIMARY KEY NOT NULL,
	`body_hash` text NOT NULL,
	`answer` text NOT NULL,
	`answered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `answers_by_time` ON `answers` (`answered_at`);--> statement-breakpoint
CREATE TABLE `effects` (
	`key` text PRIMARY KEY NOT NULL,
	`effect` text NOT NULL,
	`ticket` integer NOT NULL,
	`attempts` integer NOT NULL,
	`request_id` text,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `reminders` (
	`name` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
