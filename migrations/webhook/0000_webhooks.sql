CREATE TABLE `attempts` (
	`delivery_id` text NOT NULL,
	`at` integer NOT NULL,
	`milliseconds` integer NOT NULL,
	`status` integer,
	`error` text,
	`answer` text,
	PRIMARY KEY(`delivery_id`, `at`)
);
--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`tries` integer NOT NULL,
	`tried_since` integer,
	`due_at` integer
);
--> statement-breakpoint
CREATE INDEX `deliveries_by_due` ON `deliveries` (`due_at`);--> statement-breakpoint
CREATE INDEX `deliveries_by_time` ON `deliveries` (`created_at`);--> statement-breakpoint
CREATE INDEX `deliveries_by_status` ON `deliveries` (`status`,`created_at`);