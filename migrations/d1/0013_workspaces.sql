CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_by_address` ON `invitations` (`workspace_id`,`email`);--> statement-breakpoint
CREATE TABLE `removals` (
	`type` text NOT NULL,
	`id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`type`, `id`)
);
--> statement-breakpoint
ALTER TABLE `workspace_credentials` ADD `masked_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `members_owner` ON `members` (`workspace_id`) WHERE role = 'owner';