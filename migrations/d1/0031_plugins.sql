CREATE TABLE `marketplaces` (
	`key` text PRIMARY KEY NOT NULL,
	`provider` text NOT NULL,
	`repository` text NOT NULL,
	`ref` text,
	`read_commit` text,
	`due_at` integer NOT NULL,
	`leased_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `plugin_choices` (
	`user_id` text NOT NULL,
	`plugin_id` text NOT NULL,
	`enabled_at` integer NOT NULL,
	`failure_message` text,
	`failed_at` integer,
	`failure_workspace_id` text,
	`failure_session_id` text,
	PRIMARY KEY(`user_id`, `plugin_id`)
);
--> statement-breakpoint
CREATE TABLE `plugins` (
	`id` text PRIMARY KEY NOT NULL,
	`marketplace_key` text NOT NULL,
	`provider` text NOT NULL,
	`name` text NOT NULL,
	`marketplace` text NOT NULL,
	`description` text,
	`category` text,
	`author` text,
	`version` text,
	`place` integer NOT NULL,
	`source_repository` text,
	`source_path` text NOT NULL,
	`source_ref` text,
	`source_sha` text,
	`read_commit` text,
	`components` text,
	`callables` text,
	`hash` text,
	`body_key` text,
	`refusal` text,
	`due_at` integer,
	`leased_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `plugins_by_marketplace` ON `plugins` (`marketplace_key`,`place`);--> statement-breakpoint
CREATE INDEX `plugins_by_due` ON `plugins` (`due_at`);--> statement-breakpoint
CREATE INDEX `plugins_by_body` ON `plugins` (`body_key`);