CREATE TABLE `parked_effects` (
	`object` text NOT NULL,
	`name` text NOT NULL,
	`key` text NOT NULL,
	`attempts` integer NOT NULL,
	`reason` text NOT NULL,
	`parked_at` integer NOT NULL,
	PRIMARY KEY(`object`, `name`, `key`)
);
--> statement-breakpoint
CREATE INDEX `parked_effects_by_time` ON `parked_effects` (`parked_at`);--> statement-breakpoint
CREATE INDEX `invitations_by_email` ON `invitations` (`email`);--> statement-breakpoint
CREATE INDEX `sessions_in_backlog` ON `sessions` (`workspace_id`) WHERE status = 'backlog';