CREATE TABLE `trigger_answers` (
	`project_id` text NOT NULL,
	`kind` text NOT NULL,
	`external_id` text NOT NULL,
	`number` integer NOT NULL,
	`session_id` text NOT NULL,
	`answer` text NOT NULL,
	`comment_id` integer,
	`edited_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `kind`, `external_id`)
);
--> statement-breakpoint
CREATE INDEX `trigger_answers_by_session` ON `trigger_answers` (`session_id`);