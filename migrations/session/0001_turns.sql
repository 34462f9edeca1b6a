CREATE TABLE `left_up_next` (
	`id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE `answers` (
	`key` text PRIMARY KEY NOT NULL,
	`body_hash` text NOT NULL,
	`answer` text NOT NULL,
	`answered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `answers_by_time` ON `answers` (`answered_at`);--> statement-breakpoint
CREATE TABLE `live_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`turn_id` text,
	`event` text NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `live_events_by_turn` ON `live_events` (`turn_id`);--> statement-breakpoint
CREATE TABLE `review_comments` (
	`id` text PRIMARY KEY NOT NULL,
	`file_path` text NOT NULL,
	`side` text NOT NULL,
	`start_line_number` integer NOT NULL,
	`end_line_number` integer NOT NULL,
	`body` text NOT NULL,
	`line_snapshot` text NOT NULL,
	`resolved` integer NOT NULL,
	`author` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `session` ADD `cleared_at` integer;--> statement-breakpoint
ALTER TABLE `session` ADD `command` text;--> statement-breakpoint
ALTER TABLE `turns` ADD `conversation_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `turns` ADD `is_handover` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `up_next` ADD `attachments` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `up_next` ADD `context` text DEFAULT '{"preview":null,"reviewCommentIds":[]}' NOT NULL;--> statement-breakpoint
ALTER TABLE `up_next` ADD `editing` text;--> statement-breakpoint
ALTER TABLE `messages` ADD `attachments` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `messages` ADD `context` text DEFAULT '{"preview":null,"reviewCommentIds":[]}' NOT NULL;