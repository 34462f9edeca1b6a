CREATE TABLE `provider_logins` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`provider` text NOT NULL,
	`place` integer NOT NULL,
	`kind` text NOT NULL,
	`sealed` text NOT NULL,
	`fingerprint` text,
	`label` text NOT NULL,
	`masked_key` text,
	`account_email` text,
	`expires_at` integer,
	`needs_reauth` integer DEFAULT false NOT NULL,
	`exhausted_until` integer,
	`authenticated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `provider_logins_by_place` ON `provider_logins` (`owner_type`,`owner_id`,`provider`,`place`);--> statement-breakpoint
CREATE UNIQUE INDEX `provider_logins_by_fingerprint` ON `provider_logins` (`owner_type`,`owner_id`,`provider`,`fingerprint`);--> statement-breakpoint
-- A workspace's login keeps the name of its object, and its sealed text the identity that it opens under.
INSERT INTO `provider_logins` (`id`, `owner_type`, `owner_id`, `provider`, `place`, `kind`, `sealed`, `label`, `masked_key`, `expires_at`, `needs_reauth`, `authenticated_at`)
SELECT `workspace_id` || ':' || `provider`, 'workspace', `workspace_id`, `provider`, 0, `kind`, `sealed`, `last_four`, `masked_key`, `expires_at`, `needs_reauth`, `created_at`
FROM `workspace_credentials`;
