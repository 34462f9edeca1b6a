CREATE TABLE `kept_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`changes` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sandbox` (
	`id` integer PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`generation` integer NOT NULL,
	`owner` text,
	`secret` text NOT NULL,
	`container_generation` integer NOT NULL,
	`archive_key` text,
	`holders` text NOT NULL,
	`last_used_at` integer NOT NULL,
	`last_looked_at` integer,
	`running_since` integer,
	`resumes_on_visit` integer DEFAULT true NOT NULL,
	`resetting_since` integer,
	`failure` text,
	`setup_failure` text,
	`spare_branch` text,
	`boot_id` text,
	`program` text,
	`protocol` integer
);
--> statement-breakpoint
CREATE TABLE `settings_in_force` (
	`id` integer PRIMARY KEY NOT NULL,
	`settings` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `effects` (
	`key` text PRIMARY KEY NOT NULL,
	`effect` text NOT NULL,
	`ticket` integer NOT NULL,
	`attempts` integer NOT NULL,
	`request_id` text,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `reminders` (
	`name` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
