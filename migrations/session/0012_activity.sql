CREATE TABLE `events_once` (
	`once` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
