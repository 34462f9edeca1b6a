CREATE TABLE `sandbox_spares` (
	`sandbox_key` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`state` text NOT NULL,
	`target_branch` text NOT NULL,
	`commit` text,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sandbox_spares_by_project` ON `sandbox_spares` (`project_id`,`state`);--> statement-breakpoint
UPDATE `sandbox_bases` SET `fingerprint` = `id` || ' ' || `fingerprint` WHERE `state` = 'retired';
