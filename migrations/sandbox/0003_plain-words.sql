-- A refusal names its code `code`, where it said `refused`; an effect its kind `type`, where it said `do`.
UPDATE `sandbox` SET `failure` = json_set(json_remove(`failure`, '$.refusal.refused'), '$.refusal.code', `failure` ->> '$.refusal.refused') WHERE `failure` ->> '$.refusal.refused' IS NOT NULL;--> statement-breakpoint
UPDATE `effects` SET `effect` = json_set(json_remove(`effect`, '$.do'), '$.type', `effect` ->> '$.do') WHERE `effect` ->> '$.do' IS NOT NULL;
