DROP INDEX `push_devices_by_installation`;--> statement-breakpoint
CREATE UNIQUE INDEX `push_devices_by_installation` ON `push_devices` (`user_id`,`installation_id`);