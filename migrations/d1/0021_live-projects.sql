ALTER TABLE `projects` ADD `is_live` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `holds_sessions_up` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `projects` SET `is_live` = true WHERE `deploy_status` IN ('deployed', 'warming_pool', 'updating');
