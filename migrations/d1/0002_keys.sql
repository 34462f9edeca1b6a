ALTER TABLE `keys` ADD `last_used_at` integer;--> statement-breakpoint
CREATE INDEX `keys_by_session` ON `keys` (`session_id`);