DROP INDEX `deliveries_by_due`;--> statement-breakpoint
DROP INDEX `deliveries_by_time`;--> statement-breakpoint
DROP INDEX `deliveries_by_status`;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `last_at` integer;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `last_milliseconds` integer;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `last_status` integer;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `last_error` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `last_answer` text;--> statement-breakpoint
CREATE INDEX `deliveries_waiting` ON `deliveries` (`due_at`) WHERE "deliveries"."due_at" is not null;