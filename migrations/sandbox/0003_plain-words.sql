-- Renames the field `refused` of a refusal to `code`, and the field `do` of an effect to `type`.
UPDATE `sandbox` SET `failure` = json_set(json_remove(`failure`, '$.refusal.refused'), '$.refusal.code', `failure` ->> '$.refusal.refused') WHERE `failure` ->> '$.refusal.refused' IS NOT NULL;--> statement-breakpoint
UPDATE `effects` SET `effect` = json_set(json_remove(`effect`, '$.do'), '$.type', `effect` ->> '$.do') WHERE `effect` ->> '$.do' IS NOT NULL;
