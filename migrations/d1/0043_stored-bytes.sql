CREATE TABLE `stored_objects` (
	`key` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `workspaces` ADD `stored_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE TRIGGER `stored_objects_added` AFTER INSERT ON `stored_objects`
BEGIN
  UPDATE `workspaces` SET `stored_bytes` = `stored_bytes` + NEW.`bytes` WHERE `id` = NEW.`workspace_id`;
END;--> statement-breakpoint
CREATE TRIGGER `stored_objects_resized` AFTER UPDATE OF `bytes` ON `stored_objects` WHEN NEW.`bytes` <> OLD.`bytes`
BEGIN
  UPDATE `workspaces` SET `stored_bytes` = `stored_bytes` + NEW.`bytes` - OLD.`bytes` WHERE `id` = NEW.`workspace_id`;
END;--> statement-breakpoint
CREATE TRIGGER `stored_objects_deleted` AFTER DELETE ON `stored_objects`
BEGIN
  UPDATE `workspaces` SET `stored_bytes` = `stored_bytes` - OLD.`bytes` WHERE `id` = OLD.`workspace_id`;
END;--> statement-breakpoint
INSERT INTO `stored_objects` (`key`, `workspace_id`, `bytes`)
SELECT a.`body_key`, coalesce(s.`workspace_id`, r.`workspace_id`), a.`byte_size` FROM `artifacts` a
LEFT JOIN `sessions` s ON s.`id` = a.`session_id` LEFT JOIN `cron_runs` r ON r.`id` = a.`session_id`
WHERE coalesce(s.`workspace_id`, r.`workspace_id`) IS NOT NULL;
