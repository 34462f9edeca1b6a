CREATE TABLE `message_texts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`message_id` text NOT NULL,
	`session_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`job_id` text NOT NULL,
	`role` text NOT NULL,
	`scope` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `message_texts_messageId_unique` ON `message_texts` (`message_id`);--> statement-breakpoint
CREATE INDEX `message_texts_by_session` ON `message_texts` (`session_id`);
--> statement-breakpoint
-- The full-text index and its triggers are not in the declarations of the tables: `npm run migrations` does not write them.
CREATE VIRTUAL TABLE `message_index` USING fts5(`scope`, `text`, content='message_texts', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
CREATE TRIGGER `message_texts_added` AFTER INSERT ON `message_texts`
BEGIN
	INSERT INTO `message_index` (rowid, `scope`, `text`) VALUES (NEW.`id`, NEW.`scope`, NEW.`text`);
END;
--> statement-breakpoint
CREATE TRIGGER `message_texts_changed` AFTER UPDATE OF `text` ON `message_texts`
BEGIN
	INSERT INTO `message_index` (`message_index`, rowid, `scope`, `text`) VALUES ('delete', OLD.`id`, OLD.`scope`, OLD.`text`);
	INSERT INTO `message_index` (rowid, `scope`, `text`) VALUES (NEW.`id`, NEW.`scope`, NEW.`text`);
END;
--> statement-breakpoint
CREATE TRIGGER `message_texts_deleted` AFTER DELETE ON `message_texts`
BEGIN
	INSERT INTO `message_index` (`message_index`, rowid, `scope`, `text`) VALUES ('delete', OLD.`id`, OLD.`scope`, OLD.`text`);
END;
