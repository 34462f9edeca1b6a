CREATE TABLE `branch_heads` (
	`id` integer PRIMARY KEY NOT NULL,
	`own` text NOT NULL,
	`others` text
);
