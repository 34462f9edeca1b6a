ALTER TABLE `workspace_credentials` ADD `kind` text DEFAULT 'key' NOT NULL;--> statement-breakpoint
ALTER TABLE `workspace_credentials` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `workspace_credentials` ADD `needs_reauth` integer DEFAULT false NOT NULL;