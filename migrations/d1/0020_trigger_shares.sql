ALTER TABLE `trigger_answers` ADD `slug` text;--> statement-breakpoint
ALTER TABLE `triggers` ADD `written_by` text;