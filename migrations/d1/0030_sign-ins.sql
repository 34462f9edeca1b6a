CREATE TABLE `sign_in_attempts` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`caller_id` text NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`provider` text NOT NULL,
	`login_id` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer NOT NULL,
	`interval_seconds` integer,
	`next_poll_at` integer DEFAULT 0 NOT NULL,
	`outcome` text
);
--> statement-breakpoint
CREATE INDEX `sign_in_attempts_by_expiry` ON `sign_in_attempts` (`expires_at`);--> statement-breakpoint
CREATE TABLE `token_revocations` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`provider` text NOT NULL,
	`login_id` text NOT NULL,
	`sealed` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `token_revocations_due` ON `token_revocations` (`due_at`);