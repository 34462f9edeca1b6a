ALTER TABLE `users` ADD `deleted_at` integer;--> statement-breakpoint
ALTER TABLE `removals` ADD `person` text;