ALTER TABLE `project` ADD `pool` text DEFAULT '{"warmUntil":null,"failures":0}' NOT NULL;--> statement-breakpoint
ALTER TABLE `project` ADD `stuck_checkout` text;