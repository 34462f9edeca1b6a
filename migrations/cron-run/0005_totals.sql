ALTER TABLE `event_log` ADD `total_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `model_calls` ADD `spent_nano_usd` integer;