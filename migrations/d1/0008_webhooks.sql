CREATE TABLE `code_host_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `code_host_deliveries_by_time` ON `code_host_deliveries` (`received_at`);--> statement-breakpoint
CREATE INDEX `projects_by_repository` ON `projects` (repository COLLATE NOCASE);--> statement-breakpoint
CREATE INDEX `sessions_by_branch` ON `sessions` (`branch`);--> statement-breakpoint
CREATE INDEX `sessions_by_target` ON `sessions` (`project_id`,`target_branch`,`status`);