CREATE TABLE `artifacts` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`slug` text NOT NULL,
	`title` text NOT NULL,
	`kind` text NOT NULL,
	`version` integer NOT NULL,
	`body_key` text NOT NULL,
	`media_type` text,
	`byte_size` integer NOT NULL,
	`write_id` text NOT NULL,
	`prototype_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `artifacts_by_slug` ON `artifacts` (`session_id`,`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `artifacts_by_body` ON `artifacts` (`body_key`);--> statement-breakpoint
CREATE TABLE `objects_in_doubt` (
	`key` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `objects_in_doubt_by_due` ON `objects_in_doubt` (`due_at`);--> statement-breakpoint
CREATE TABLE `prototypes` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`title` text NOT NULL,
	`variants` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `prototypes_by_project` ON `prototypes` (`project_id`,`created_at`);