CREATE TABLE `cron` (
	`id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fired_slots` (
	`slot` integer PRIMARY KEY NOT NULL,
	`runs` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `answers` (
	`key` text PRIMARY KEY NOT NULL,
	`body_hash` text NOT NULL,
	`answer` text NOT NULL,
	`answered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `answers_by_time` ON `answers` (`answered_at`);--> statement-breakpoint
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
