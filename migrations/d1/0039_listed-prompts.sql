CREATE TABLE `cron_prompts` (
	`cron_id` text PRIMARY KEY NOT NULL,
	`prompt` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `crons` ADD `is_prompt_cut` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `is_prompt_cut` integer DEFAULT false NOT NULL;--> statement-breakpoint
INSERT OR IGNORE INTO `cron_prompts` (`cron_id`, `prompt`) SELECT `id`, `prompt` FROM `crons` WHERE length(`prompt`) > 2000;--> statement-breakpoint
UPDATE `crons` SET `prompt` = substr(`prompt`, 1, 2000), `is_prompt_cut` = 1, `search_text` = substr(`search_text`, 1, length(`name`) + 4001)
WHERE length(`prompt`) > 2000;--> statement-breakpoint
UPDATE `sessions` SET `prompt` = substr(`prompt`, 1, 2000), `is_prompt_cut` = 1, `search_prompt` = substr(`search_prompt`, 1, 4000)
WHERE length(`prompt`) > 2000;
