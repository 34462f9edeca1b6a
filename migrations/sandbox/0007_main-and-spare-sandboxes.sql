ALTER TABLE `sandbox` ADD `setup_failure` text;--> statement-breakpoint
ALTER TABLE `sandbox` ADD `spare_branch` text;