ALTER TABLE `sandbox` ADD `program` text;--> statement-breakpoint
ALTER TABLE `sandbox` ADD `protocol` integer;