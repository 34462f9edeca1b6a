CREATE TABLE `oauth_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text,
	`client_hash` text NOT NULL,
	`client_name` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`challenge` text NOT NULL,
	`scopes` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `oauth_codes_by_user` ON `oauth_codes` (`user_id`);--> statement-breakpoint
CREATE INDEX `oauth_codes_by_end` ON `oauth_codes` (`expires_at`);--> statement-breakpoint
ALTER TABLE `keys` ADD `scopes` text;--> statement-breakpoint
ALTER TABLE `keys` ADD `client` text;--> statement-breakpoint
ALTER TABLE `keys` ADD `refresh_family` text;--> statement-breakpoint
CREATE UNIQUE INDEX `keys_by_refresh` ON `keys` (`refresh_family`) WHERE refresh_family IS NOT NULL;