CREATE TABLE `sweep_marks` (
	`sweep` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
