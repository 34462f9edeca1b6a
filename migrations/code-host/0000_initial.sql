CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook` text,
	`received_at` integer NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer
);
--> statement-breakpoint
CREATE INDEX `deliveries_by_due` ON `deliveries` (`due_at`);--> statement-breakpoint
CREATE INDEX `deliveries_by_time` ON `deliveries` (`received_at`);