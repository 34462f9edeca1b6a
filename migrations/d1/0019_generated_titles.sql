ALTER TABLE `sessions` ADD `title_source` text DEFAULT 'person' NOT NULL;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `generated_titles` integer DEFAULT false NOT NULL;