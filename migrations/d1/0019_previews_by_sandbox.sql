CREATE INDEX `projects_by_sandbox` ON `projects` (`main_sandbox_key`);--> statement-breakpoint
CREATE INDEX `sessions_by_sandbox` ON `sessions` (`sandbox_key`);