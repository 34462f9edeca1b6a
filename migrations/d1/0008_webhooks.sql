CREATE TABLE `webhook_events` (
	`id` text PRIMARY KEY NOT NULL,
	`event` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`projects` text,
	`include_text` integer NOT NULL,
	`sealed` text NOT NULL,
	`previous_sealed` text,
	`previous_until` integer,
	`status` text NOT NULL,
	`disabled_reason` text,
	`created_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhooks_by_workspace` ON `webhooks` (`workspace_id`);