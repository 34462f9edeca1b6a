-- Renames the field `do` of an effect to `type`, and three types of effects.
UPDATE `effects` SET `effect` = json_set(json_remove(`effect`, '$.do'), '$.type', CASE `effect` ->> '$.do' WHEN 'project-session' THEN 'index-session' WHEN 'project-turn' THEN 'index-turn' WHEN 'retire-sandbox' THEN 'stop-sandbox' ELSE `effect` ->> '$.do' END) WHERE `effect` ->> '$.do' IS NOT NULL;--> statement-breakpoint
UPDATE OR REPLACE `effects` SET `key` = 'index-session' WHERE `key` = 'project-session';--> statement-breakpoint
UPDATE OR REPLACE `effects` SET `key` = 'index-turn:' || substr(`key`, 14) WHERE `key` LIKE 'project-turn:%';--> statement-breakpoint
UPDATE OR REPLACE `effects` SET `key` = 'stop-sandbox' WHERE `key` = 'retire-sandbox';
