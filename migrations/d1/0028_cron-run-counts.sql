DELETE FROM `cron_run_counts`;--> statement-breakpoint
INSERT INTO `cron_run_counts` (`cron_id`, `project_id`, `status`, `runs`)
SELECT `cron_id`, `project_id`, `status`, count(*) FROM `cron_runs` GROUP BY 1, 2, 3;--> statement-breakpoint
DROP TRIGGER IF EXISTS `cron_runs_added`;--> statement-breakpoint
DROP TRIGGER IF EXISTS `cron_runs_moved`;--> statement-breakpoint
CREATE TRIGGER `cron_runs_added` AFTER INSERT ON `cron_runs`
BEGIN
  INSERT INTO `cron_run_counts` (`cron_id`, `project_id`, `status`, `runs`)
  VALUES (NEW.`cron_id`, NEW.`project_id`, NEW.`status`, 1)
  ON CONFLICT (`cron_id`, `project_id`, `status`) DO UPDATE SET `runs` = `runs` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `cron_runs_moved` AFTER UPDATE OF `status` ON `cron_runs` WHEN NEW.`status` <> OLD.`status`
BEGIN
  UPDATE `cron_run_counts` SET `runs` = `runs` - 1
  WHERE `cron_id` = OLD.`cron_id` AND `project_id` = OLD.`project_id` AND `status` = OLD.`status`;
  INSERT INTO `cron_run_counts` (`cron_id`, `project_id`, `status`, `runs`)
  VALUES (NEW.`cron_id`, NEW.`project_id`, NEW.`status`, 1)
  ON CONFLICT (`cron_id`, `project_id`, `status`) DO UPDATE SET `runs` = `runs` + 1;
END;
