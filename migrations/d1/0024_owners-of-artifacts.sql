ALTER TABLE `artifacts` ADD `cron_id` text;--> statement-breakpoint
CREATE INDEX `artifacts_by_cron` ON `artifacts` (`cron_id`,`updated_at`,`id`) WHERE cron_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `keys` ADD `cron_id` text;--> statement-breakpoint
ALTER TABLE `keys` ADD `project_id` text;