-- Rows from before turns and sandboxes had owners belong to a session.
ALTER TABLE `jobs` RENAME COLUMN `session_id` TO `owner_id`;--> statement-breakpoint
ALTER TABLE `jobs` ADD `owner_type` text DEFAULT 'session' NOT NULL;--> statement-breakpoint
DROP INDEX `jobs_by_session`;--> statement-breakpoint
CREATE INDEX `jobs_by_owner` ON `jobs` (`owner_id`,`number`);--> statement-breakpoint
ALTER TABLE `sandbox_slots` RENAME COLUMN `session_id` TO `owner_id`;--> statement-breakpoint
ALTER TABLE `sandbox_slots` ADD `owner_type` text DEFAULT 'session' NOT NULL;
