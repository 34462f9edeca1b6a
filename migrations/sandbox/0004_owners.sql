-- Rows from before turns and sandboxes had owners belong to a session.
ALTER TABLE `sandbox` ADD `holder` text;--> statement-breakpoint
UPDATE `sandbox` SET `holder` = json_object('turnId', `turn_id`, 'owner', json_object('type', 'session', 'id', `owner` ->> '$.sessionId')) WHERE `turn_id` IS NOT NULL AND `owner` IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sandbox` DROP COLUMN `turn_id`;--> statement-breakpoint
UPDATE `sandbox` SET `owner` = json_set(json_remove(`owner`, '$.sessionId'), '$.type', 'session', '$.id', `owner` ->> '$.sessionId') WHERE `owner` ->> '$.sessionId' IS NOT NULL;
