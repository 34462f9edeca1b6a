ALTER TABLE `projects` ADD `installation_id` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `repository_id` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `settings_key` text;--> statement-breakpoint
CREATE INDEX `projects_by_repository_id` ON `projects` (`repository_id`);--> statement-breakpoint
CREATE INDEX `projects_by_settings_key` ON `projects` (`settings_key`);