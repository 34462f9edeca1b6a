CREATE TABLE `push_devices` (
	`token` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`bundle_id` text NOT NULL,
	`environment` text NOT NULL,
	`platform` text NOT NULL,
	`installation_id` text,
	`generation` integer,
	`registration_id` text NOT NULL,
	`registered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `push_devices_by_installation` ON `push_devices` (`installation_id`);--> statement-breakpoint
CREATE INDEX `push_devices_by_user` ON `push_devices` (`user_id`,`registered_at`);--> statement-breakpoint
CREATE TABLE `push_notices` (
	`id` text PRIMARY KEY NOT NULL,
	`notice` text NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `push_notices_by_due` ON `push_notices` (`due_at`);