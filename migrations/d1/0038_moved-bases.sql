ALTER TABLE `base_users` ADD `moved_to` text;--> statement-breakpoint
ALTER TABLE `sandbox_bases` ADD `recipe` text;--> statement-breakpoint
ALTER TABLE `sandbox_bases` ADD `cloned_at` integer;