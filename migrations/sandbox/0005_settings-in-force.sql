CREATE TABLE `settings_in_force` (
	`id` integer PRIMARY KEY NOT NULL,
	`settings` text NOT NULL
);
