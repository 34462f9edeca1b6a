CREATE TABLE `sandbox` (
	`id` integer PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`generation` integer NOT NULL,
	`owner` text,
	`secret` text NOT NULL,
	`archive_key` text,
	`turn_id` text,
	`last_used_at` integer NOT NULL,
	`running_since` integer,
	`failure` text
);
--> statement-breakpoint
CREATE TABLE `effects` (
	`key` text PRIMARY KEY NOT NULL,
	`effect` text NOT NULL,
	`ticket` integer NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `reminders` (
	`name` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
