CREATE TABLE `code_host_identities` (
	`user_id` text PRIMARY KEY NOT NULL,
	`host_user_id` text NOT NULL,
	`login` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `code_host_identities_by_host_user` ON `code_host_identities` (`host_user_id`);