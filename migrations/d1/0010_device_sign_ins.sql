CREATE TABLE `device_sign_ins` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_code` text NOT NULL,
	`client` text NOT NULL,
	`name` text NOT NULL,
	`address` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`outcome` text,
	`user_id` text,
	`key_lifetime_ms` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_sign_ins_by_code` ON `device_sign_ins` (`user_code`);--> statement-breakpoint
CREATE INDEX `device_sign_ins_by_user` ON `device_sign_ins` (`user_id`);--> statement-breakpoint
CREATE INDEX `device_sign_ins_by_end` ON `device_sign_ins` (`expires_at`);