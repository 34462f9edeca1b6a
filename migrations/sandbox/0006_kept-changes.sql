CREATE TABLE `kept_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`changes` text NOT NULL
);
