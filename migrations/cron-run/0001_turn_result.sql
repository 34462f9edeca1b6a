ALTER TABLE `turns` ADD `result_schema` text;--> statement-breakpoint
ALTER TABLE `turns` ADD `result` text;