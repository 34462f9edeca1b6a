ALTER TABLE `users` ADD `reply_style` text DEFAULT 'standard' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `marketing_emails` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `onboarding_completed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `default_model` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `payer_id` text;--> statement-breakpoint
CREATE INDEX `jobs_by_payer` ON `jobs` (`payer_id`) WHERE payer_id IS NOT NULL AND status IN ('pending', 'running');