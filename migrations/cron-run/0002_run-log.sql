CREATE TABLE `log_pieces` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`lines` text NOT NULL,
	`bytes` integer NOT NULL
);
