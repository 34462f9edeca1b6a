CREATE TABLE `filings` (
	`turn_id` text NOT NULL,
	`filed_id` text NOT NULL,
	PRIMARY KEY(`turn_id`, `filed_id`)
);
--> statement-breakpoint
ALTER TABLE `session` ADD `filed_depth` integer DEFAULT 0 NOT NULL;