ALTER TABLE `projects` ADD `main_slept_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `is_main_reclaimed` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `projects_by_main_sleep` ON `projects` (`main_slept_at`) WHERE is_live = 1 AND is_main_reclaimed = 0;--> statement-breakpoint
ALTER TABLE `sandbox_spares` ADD `program` text DEFAULT '' NOT NULL;