CREATE TABLE `network_secrets` (
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`sealed` text NOT NULL,
	`only_to` text NOT NULL,
	`as` text NOT NULL,
	`placeholder` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `name`)
);
