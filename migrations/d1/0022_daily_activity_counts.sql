CREATE TABLE `activity_daily_counts` (
	`scope_id` text NOT NULL,
	`actor_id` text NOT NULL,
	`kind` text NOT NULL,
	`day` integer NOT NULL,
	`events` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `actor_id`, `kind`, `day`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `activity_daily_counts_by_day` ON `activity_daily_counts` (`day`);--> statement-breakpoint
INSERT INTO `activity_daily_counts` (`scope_id`, `actor_id`, `kind`, `day`, `events`)
SELECT `scope_id`, `actor_id`, `kind`, `hour` / 24, sum(`events`) FROM `activity_counts` GROUP BY 1, 2, 3, 4;--> statement-breakpoint
CREATE TRIGGER `activity_counts_first_of_an_hour` AFTER INSERT ON `activity_counts`
BEGIN
  INSERT INTO `activity_daily_counts` (`scope_id`, `actor_id`, `kind`, `day`, `events`)
  VALUES (NEW.`scope_id`, NEW.`actor_id`, NEW.`kind`, NEW.`hour` / 24, NEW.`events`)
  ON CONFLICT (`scope_id`, `actor_id`, `kind`, `day`) DO UPDATE SET `events` = `events` + excluded.`events`;
END;--> statement-breakpoint
CREATE TRIGGER `activity_counts_more_of_an_hour` AFTER UPDATE OF `events` ON `activity_counts`
BEGIN
  UPDATE `activity_daily_counts` SET `events` = `events` + NEW.`events` - OLD.`events`
  WHERE `scope_id` = NEW.`scope_id` AND `actor_id` = NEW.`actor_id` AND `kind` = NEW.`kind` AND `day` = NEW.`hour` / 24;
END;
