CREATE TABLE `audit_days` (
	`workspace_id` text NOT NULL,
	`day` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `day`)
);
--> statement-breakpoint
CREATE INDEX `audit_days_by_day` ON `audit_days` (`day`);--> statement-breakpoint
CREATE TABLE `audit_events` (
	`workspace_id` text NOT NULL,
	`id` text NOT NULL,
	`at` integer NOT NULL,
	`event` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `audit_events_by_time` ON `audit_events` (`at`);