CREATE TABLE `activity_counts` (
	`scope_id` text NOT NULL,
	`actor_id` text NOT NULL,
	`kind` text NOT NULL,
	`hour` integer NOT NULL,
	`events` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `actor_id`, `kind`, `hour`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `activity_counts_by_hour` ON `activity_counts` (`hour`);--> statement-breakpoint
CREATE TABLE `seen_marks` (
	`workspace_id` text NOT NULL,
	`user_id` text NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `user_id`)
);
--> statement-breakpoint
ALTER TABLE `activity` ADD `once` text;--> statement-breakpoint
CREATE UNIQUE INDEX `activity_once_unique` ON `activity` (`once`);--> statement-breakpoint
CREATE INDEX `activity_by_workspace` ON `activity` (`workspace_id`,`seq`,`actor_id`);--> statement-breakpoint
CREATE INDEX `activity_by_workspace_and_kind` ON `activity` (`workspace_id`,`kind`,`seq`,`actor_id`);--> statement-breakpoint
CREATE INDEX `activity_by_project_and_kind` ON `activity` (`project_id`,`kind`,`seq`);--> statement-breakpoint
INSERT INTO `activity_counts` (`scope_id`, `actor_id`, `kind`, `hour`, `events`)
SELECT scope.value, actor.value, a.`kind`, a.`created_at` / 3600000, count(*)
FROM `activity` a, json_each(json_array(a.`workspace_id`, a.`project_id`)) scope, json_each(json_array('', a.`actor_id`)) actor
WHERE scope.value IS NOT NULL AND actor.value IS NOT NULL
GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO `seen_marks` (`workspace_id`, `user_id`, `seq`)
SELECT m.`workspace_id`, m.`user_id`,
  (SELECT coalesce(max(a.`seq`), 0) FROM `activity` a WHERE a.`workspace_id` = m.`workspace_id` AND a.`created_at` < m.`joined_at`)
FROM `members` m;
