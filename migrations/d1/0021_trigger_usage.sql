ALTER TABLE `usage` ADD `trigger_id` text;--> statement-breakpoint
CREATE INDEX `usage_by_trigger` ON `usage` (`trigger_id`,`at`) WHERE trigger_id IS NOT NULL;