ALTER TABLE `sweep_marks` ADD `cursor` text;--> statement-breakpoint
CREATE INDEX `sandbox_bases_by_state` ON `sandbox_bases` (`state`,`project_id`);