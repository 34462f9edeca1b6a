DROP INDEX `sessions_by_project`;--> statement-breakpoint
DROP INDEX `sessions_by_workspace`;--> statement-breakpoint
CREATE INDEX `sessions_by_project` ON `sessions` (`project_id`,`created_at`,`id`,`status`,`assignee_kind`,`assignee_id`,`needs_you`);--> statement-breakpoint
CREATE INDEX `sessions_by_workspace` ON `sessions` (`workspace_id`,`created_at`,`id`,`status`,`assignee_kind`,`assignee_id`,`needs_you`);