CREATE TABLE `web_push_devices` (
	`id` text PRIMARY KEY NOT NULL,
	`endpoint` text NOT NULL,
	`user_id` text NOT NULL,
	`p256dh` text NOT NULL,
	`auth` text NOT NULL,
	`label` text NOT NULL,
	`key_id` text NOT NULL,
	`registered_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `web_push_devices_by_endpoint` ON `web_push_devices` (`endpoint`);--> statement-breakpoint
CREATE INDEX `web_push_devices_by_user` ON `web_push_devices` (`user_id`,`registered_at`);--> statement-breakpoint
ALTER TABLE `users` ADD `notifications_off` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `push_devices` ADD `label` text;--> statement-breakpoint
ALTER TABLE `push_devices` ADD `last_used_at` integer;