ALTER TABLE `workspaces` ADD `network` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `network` text;--> statement-breakpoint
ALTER TABLE `sandbox_spares` ADD `network` text DEFAULT '' NOT NULL;