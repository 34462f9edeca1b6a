CREATE TABLE `model_calls` (
	`id` text PRIMARY KEY NOT NULL,
	`work_id` text NOT NULL,
	`member_id` text,
	`model` text,
	`payer` text NOT NULL,
	`input_tokens` integer NOT NULL,
	`cached_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`nano_usd` integer,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `model_calls_by_work` ON `model_calls` (`work_id`);--> statement-breakpoint
ALTER TABLE `session` ADD `spend_limit_usd` real;--> statement-breakpoint
ALTER TABLE `turns` ADD `usage` text;