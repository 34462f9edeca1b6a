CREATE TABLE `deploy_turns` (
	`turn_id` text PRIMARY KEY NOT NULL,
	`deploy_id` text NOT NULL,
	`sandbox_key` text
);
--> statement-breakpoint
CREATE INDEX `deploy_turns_by_deploy` ON `deploy_turns` (`deploy_id`);--> statement-breakpoint
CREATE TABLE `deploys` (
	`id` text PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`trigger` text NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`sandbox_key` text,
	`is_promoted` integer NOT NULL,
	`is_update` integer NOT NULL,
	`has_agent_run` integer NOT NULL,
	`phase_id` text NOT NULL,
	`phase_due_at` integer,
	`is_switching` integer NOT NULL,
	`problems` text NOT NULL,
	`started_by` text,
	`created_at` integer NOT NULL,
	`started_at` integer NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deploys_by_number` ON `deploys` (`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `one_deploy_at_work` ON `deploys` (1) WHERE status in ('creating_sandbox', 'starting_services', 'running_agent', 'updating', 'awaiting_user', 'warming', 'promoting');--> statement-breakpoint
CREATE TABLE `project` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`live_sandbox_key` text,
	`leaving` text NOT NULL,
	`draft` text,
	`instructions` text NOT NULL,
	`saved_model` text,
	`turn_deploy_id` text,
	`pool` text DEFAULT '{"warmUntil":null,"failures":0}' NOT NULL,
	`stuck_checkout` text,
	`is_main_reclaimed` integer DEFAULT false NOT NULL,
	`chat_begins_after` integer DEFAULT 0 NOT NULL,
	`model` text,
	`conversation_id` text NOT NULL,
	`cleared_at` integer,
	`pause_reason` text,
	`paused_at` integer
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
