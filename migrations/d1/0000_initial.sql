-- Triggers and WITHOUT ROWID are not in the declarations of the tables: `npm run migrations` does not write them.
CREATE TABLE `code_host_identities` (
	`user_id` text PRIMARY KEY NOT NULL,
	`host_user_id` text NOT NULL,
	`login` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `code_host_identities_by_host_user` ON `code_host_identities` (`host_user_id`);--> statement-breakpoint
CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_by_address` ON `invitations` (`workspace_id`,`email`);--> statement-breakpoint
CREATE INDEX `invitations_by_email` ON `invitations` (`email`);--> statement-breakpoint
CREATE TABLE `members` (
	`workspace_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`joined_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `user_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `members_by_user` ON `members` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `members_owner` ON `members` (`workspace_id`) WHERE role = 'owner';--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`image_url` text,
	`auto_commit` integer DEFAULT true NOT NULL,
	`reply_style` text DEFAULT 'standard' NOT NULL,
	`marketing_emails` integer DEFAULT false NOT NULL,
	`onboarding_completed` integer DEFAULT false NOT NULL,
	`default_model` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_email` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`logo` text,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`default_model` text,
	`plan` text NOT NULL,
	`stored_bytes` integer DEFAULT 0 NOT NULL,
	`spend_limit_usd` real,
	`network` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workspaces_by_slug` ON `workspaces` (`slug`);--> statement-breakpoint
CREATE TABLE `activity` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text,
	`project_name` text,
	`session_id` text,
	`kind` text NOT NULL,
	`actor_id` text,
	`source` text,
	`subject` text,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`once` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `activity_id_unique` ON `activity` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `activity_once_unique` ON `activity` (`once`);--> statement-breakpoint
CREATE INDEX `activity_by_time` ON `activity` (`created_at`);--> statement-breakpoint
CREATE INDEX `activity_by_workspace` ON `activity` (`workspace_id`,`seq`,`actor_id`);--> statement-breakpoint
CREATE INDEX `activity_by_workspace_and_kind` ON `activity` (`workspace_id`,`kind`,`seq`,`actor_id`);--> statement-breakpoint
CREATE INDEX `activity_by_project_and_kind` ON `activity` (`project_id`,`kind`,`seq`);--> statement-breakpoint
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
CREATE TABLE `seen_marks` (
	`workspace_id` text NOT NULL,
	`user_id` text NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `user_id`)
);
--> statement-breakpoint
CREATE TABLE `artifacts` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`cron_id` text,
	`slug` text NOT NULL,
	`title` text NOT NULL,
	`kind` text NOT NULL,
	`version` integer NOT NULL,
	`body_key` text NOT NULL,
	`media_type` text,
	`byte_size` integer NOT NULL,
	`write_id` text NOT NULL,
	`prototype_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `artifacts_by_slug` ON `artifacts` (`session_id`,`slug`);--> statement-breakpoint
CREATE INDEX `artifacts_by_cron` ON `artifacts` (`cron_id`,`updated_at`,`id`) WHERE cron_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `artifacts_by_body` ON `artifacts` (`body_key`);--> statement-breakpoint
CREATE TABLE `prototypes` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`title` text NOT NULL,
	`variants` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `prototypes_by_project` ON `prototypes` (`project_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `stored_objects` (
	`key` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `objects_in_doubt` (
	`key` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `objects_in_doubt_by_due` ON `objects_in_doubt` (`due_at`);--> statement-breakpoint
CREATE TABLE `cron_projects` (
	`cron_id` text NOT NULL,
	`project_id` text NOT NULL,
	`paused_at` integer,
	`paused_reason` text,
	`last_run_status` text,
	PRIMARY KEY(`cron_id`, `project_id`)
);
--> statement-breakpoint
CREATE INDEX `cron_projects_by_project` ON `cron_projects` (`project_id`);--> statement-breakpoint
CREATE TABLE `cron_prompts` (
	`cron_id` text PRIMARY KEY NOT NULL,
	`prompt` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `cron_run_counts` (
	`cron_id` text NOT NULL,
	`project_id` text NOT NULL,
	`status` text NOT NULL,
	`runs` integer NOT NULL,
	PRIMARY KEY(`cron_id`, `project_id`, `status`)
);
--> statement-breakpoint
CREATE TABLE `cron_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`cron_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`project_name` text NOT NULL,
	`slot` integer,
	`status` text NOT NULL,
	`summary` text,
	`error` text,
	`error_code` text,
	`stop_source` text,
	`model` text,
	`is_opened` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`completed_at` integer
);
--> statement-breakpoint
CREATE INDEX `cron_runs_by_cron` ON `cron_runs` (`cron_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `cron_runs_by_status` ON `cron_runs` (`cron_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `cron_runs_by_project` ON `cron_runs` (`cron_id`,`project_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `cron_runs_by_slot` ON `cron_runs` (`cron_id`,`project_id`,`slot`);--> statement-breakpoint
CREATE INDEX `cron_runs_unfinished` ON `cron_runs` (`created_at`,`project_id`) WHERE status = 'running';--> statement-breakpoint
CREATE TABLE `crons` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`prompt` text NOT NULL,
	`cron_expression` text NOT NULL,
	`model` text,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`created_by` text NOT NULL,
	`next_slot` integer,
	`last_run_at` integer,
	`last_run_status` text,
	`search_text` text NOT NULL,
	`is_prompt_cut` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `crons_by_workspace` ON `crons` (`workspace_id`,`created_at`,`id`,`created_by`);--> statement-breakpoint
CREATE INDEX `crons_by_slot` ON `crons` (`next_slot`);--> statement-breakpoint
CREATE TABLE `removals` (
	`type` text NOT NULL,
	`id` text NOT NULL,
	`projects` text DEFAULT '[]' NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`type`, `id`)
);
--> statement-breakpoint
CREATE TABLE `keys` (
	`hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`user_id` text,
	`workspace_id` text,
	`session_id` text,
	`turn_id` text,
	`cron_id` text,
	`project_id` text,
	`bounds` text,
	`name` text NOT NULL,
	`last_four` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE INDEX `keys_by_user` ON `keys` (`user_id`);--> statement-breakpoint
CREATE INDEX `keys_by_turn` ON `keys` (`turn_id`);--> statement-breakpoint
CREATE INDEX `keys_by_session` ON `keys` (`session_id`);--> statement-breakpoint
CREATE INDEX `keys_by_workspace` ON `keys` (`workspace_id`,`kind`);--> statement-breakpoint
CREATE TABLE `push_devices` (
	`token` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`bundle_id` text NOT NULL,
	`environment` text NOT NULL,
	`platform` text NOT NULL,
	`installation_id` text,
	`generation` integer,
	`registration_id` text NOT NULL,
	`registered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `push_devices_by_installation` ON `push_devices` (`user_id`,`installation_id`);--> statement-breakpoint
CREATE INDEX `push_devices_by_user` ON `push_devices` (`user_id`,`registered_at`);--> statement-breakpoint
CREATE TABLE `push_notices` (
	`id` text PRIMARY KEY NOT NULL,
	`notice` text NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `push_notices_by_due` ON `push_notices` (`due_at`);--> statement-breakpoint
CREATE TABLE `parked_effects` (
	`object` text NOT NULL,
	`name` text NOT NULL,
	`key` text NOT NULL,
	`attempts` integer NOT NULL,
	`reason` text NOT NULL,
	`parked_at` integer NOT NULL,
	PRIMARY KEY(`object`, `name`, `key`)
);
--> statement-breakpoint
CREATE INDEX `parked_effects_by_time` ON `parked_effects` (`parked_at`);--> statement-breakpoint
CREATE TABLE `marketplaces` (
	`key` text PRIMARY KEY NOT NULL,
	`provider` text NOT NULL,
	`repository` text NOT NULL,
	`ref` text,
	`read_commit` text,
	`due_at` integer NOT NULL,
	`leased_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `plugin_choices` (
	`user_id` text NOT NULL,
	`plugin_id` text NOT NULL,
	`enabled_at` integer NOT NULL,
	`failure_message` text,
	`failed_at` integer,
	`failure_workspace_id` text,
	`failure_session_id` text,
	PRIMARY KEY(`user_id`, `plugin_id`)
);
--> statement-breakpoint
CREATE TABLE `plugins` (
	`id` text PRIMARY KEY NOT NULL,
	`marketplace_key` text NOT NULL,
	`provider` text NOT NULL,
	`name` text NOT NULL,
	`marketplace` text NOT NULL,
	`description` text,
	`category` text,
	`author` text,
	`version` text,
	`place` integer NOT NULL,
	`source_repository` text,
	`source_path` text NOT NULL,
	`source_ref` text,
	`source_sha` text,
	`entry_parts` text,
	`read_commit` text,
	`components` text,
	`callables` text,
	`hash` text,
	`body_key` text,
	`refusal` text,
	`due_at` integer,
	`leased_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `plugins_by_marketplace` ON `plugins` (`marketplace_key`,`place`);--> statement-breakpoint
CREATE INDEX `plugins_by_due` ON `plugins` (`due_at`);--> statement-breakpoint
CREATE INDEX `plugins_by_body` ON `plugins` (`body_key`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`repository` text NOT NULL,
	`installation_id` integer,
	`repository_id` integer,
	`target_branch` text NOT NULL,
	`deploy_status` text NOT NULL,
	`is_live` integer DEFAULT false NOT NULL,
	`holds_sessions_up` integer DEFAULT false NOT NULL,
	`settings` text NOT NULL,
	`settings_key` text,
	`network` text,
	`main_sandbox_key` text NOT NULL,
	`main_slept_at` integer DEFAULT 0 NOT NULL,
	`is_main_reclaimed` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `projects_by_workspace` ON `projects` (`workspace_id`);--> statement-breakpoint
CREATE INDEX `projects_by_sandbox` ON `projects` (`main_sandbox_key`);--> statement-breakpoint
CREATE INDEX `projects_by_repository_id` ON `projects` (`repository_id`);--> statement-breakpoint
CREATE INDEX `projects_by_settings_key` ON `projects` (`settings_key`);--> statement-breakpoint
CREATE INDEX `projects_by_main_sleep` ON `projects` (`main_slept_at`) WHERE is_live = 1 AND is_main_reclaimed = 0;--> statement-breakpoint
CREATE INDEX `projects_at_work` ON `projects` (`deploy_status`) WHERE deploy_status IN ('creating_sandbox', 'starting_services', 'running_agent', 'updating', 'awaiting_user', 'warming', 'promoting', 'warming_pool');--> statement-breakpoint
CREATE INDEX `projects_by_repository` ON `projects` (repository COLLATE NOCASE);--> statement-breakpoint
CREATE TABLE `provider_logins` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`provider` text NOT NULL,
	`place` integer NOT NULL,
	`kind` text NOT NULL,
	`sealed` text NOT NULL,
	`fingerprint` text,
	`label` text NOT NULL,
	`masked_key` text,
	`account_email` text,
	`expires_at` integer,
	`needs_reauth` integer DEFAULT false NOT NULL,
	`exhausted_until` integer,
	`authenticated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `provider_logins_by_place` ON `provider_logins` (`owner_type`,`owner_id`,`provider`,`place`);--> statement-breakpoint
CREATE UNIQUE INDEX `provider_logins_by_fingerprint` ON `provider_logins` (`owner_type`,`owner_id`,`provider`,`fingerprint`);--> statement-breakpoint
CREATE TABLE `sign_in_attempts` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`caller_id` text NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`provider` text NOT NULL,
	`login_id` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer NOT NULL,
	`interval_seconds` integer,
	`next_poll_at` integer DEFAULT 0 NOT NULL,
	`outcome` text
);
--> statement-breakpoint
CREATE INDEX `sign_in_attempts_by_expiry` ON `sign_in_attempts` (`expires_at`);--> statement-breakpoint
CREATE TABLE `token_revocations` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`provider` text NOT NULL,
	`login_id` text NOT NULL,
	`sealed` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `token_revocations_due` ON `token_revocations` (`due_at`);--> statement-breakpoint
CREATE TABLE `base_users` (
	`sandbox_key` text PRIMARY KEY NOT NULL,
	`base_id` text NOT NULL,
	`moved_to` text
);
--> statement-breakpoint
CREATE INDEX `base_users_by_base` ON `base_users` (`base_id`);--> statement-breakpoint
CREATE TABLE `running_time` (
	`workspace_id` text NOT NULL,
	`month` text NOT NULL,
	`ms` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `month`)
);
--> statement-breakpoint
CREATE TABLE `sandbox_bases` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`recipe` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`cloned_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sandbox_bases_by_fingerprint` ON `sandbox_bases` (`project_id`,`fingerprint`);--> statement-breakpoint
CREATE INDEX `sandbox_bases_by_state` ON `sandbox_bases` (`state`,`project_id`);--> statement-breakpoint
CREATE TABLE `sandbox_slots` (
	`sandbox_key` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`owner_type` text DEFAULT 'session' NOT NULL,
	`owner_id` text NOT NULL,
	`state` text DEFAULT 'starting' NOT NULL,
	`claimed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sandbox_slots_by_workspace` ON `sandbox_slots` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `sandbox_spares` (
	`sandbox_key` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`state` text NOT NULL,
	`target_branch` text NOT NULL,
	`commit` text,
	`settings` text NOT NULL,
	`network` text DEFAULT '' NOT NULL,
	`program` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sandbox_spares_by_project` ON `sandbox_spares` (`project_id`,`state`);--> statement-breakpoint
CREATE TABLE `share_links` (
	`slug` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`session_id` text,
	`sandbox_key` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`last_viewed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `share_links_by_sandbox` ON `share_links` (`sandbox_key`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_type` text DEFAULT 'session' NOT NULL,
	`owner_id` text NOT NULL,
	`number` integer NOT NULL,
	`status` text NOT NULL,
	`payer_id` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `jobs_by_owner` ON `jobs` (`owner_id`,`number`);--> statement-breakpoint
CREATE INDEX `jobs_by_payer` ON `jobs` (`payer_id`) WHERE payer_id IS NOT NULL AND status IN ('pending', 'running');--> statement-breakpoint
CREATE TABLE `session_creates` (
	`key` text PRIMARY KEY NOT NULL,
	`body_hash` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `session_creates_by_time` ON `session_creates` (`created_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`title` text NOT NULL,
	`prompt` text,
	`status` text NOT NULL,
	`priority` text NOT NULL,
	`model` text,
	`spend_limit_usd` real,
	`branch` text,
	`target_branch` text NOT NULL,
	`sandbox_key` text NOT NULL,
	`created_by` text,
	`filed_by` text,
	`pr_url` text,
	`pr_number` integer,
	`pr_state` text,
	`pr_base` text,
	`is_behind` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`pause_reason` text,
	`paused_at` integer,
	`assignee_kind` text,
	`assignee_id` text,
	`turn_id` text,
	`turn_number` integer,
	`turn_status` text,
	`queue_count` integer NOT NULL,
	`needs_you` text,
	`filed_cron_id` text,
	`filed_run_id` text,
	`is_prompt_cut` integer DEFAULT false NOT NULL,
	`search_title` text DEFAULT '' NOT NULL,
	`search_prompt` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_by_project` ON `sessions` (`project_id`,`created_at`,`id`,`status`,`assignee_kind`,`assignee_id`,`needs_you`);--> statement-breakpoint
CREATE INDEX `sessions_by_workspace` ON `sessions` (`workspace_id`,`created_at`,`id`,`status`,`assignee_kind`,`assignee_id`,`needs_you`);--> statement-breakpoint
CREATE INDEX `sessions_by_branch` ON `sessions` (`branch`);--> statement-breakpoint
CREATE INDEX `sessions_by_sandbox` ON `sessions` (`sandbox_key`);--> statement-breakpoint
CREATE INDEX `sessions_by_run` ON `sessions` (`filed_run_id`) WHERE filed_run_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `sessions_by_target` ON `sessions` (`project_id`,`target_branch`,`status`);--> statement-breakpoint
CREATE INDEX `sessions_in_backlog` ON `sessions` (`workspace_id`) WHERE status = 'backlog';--> statement-breakpoint
CREATE INDEX `sessions_by_end` ON `sessions` (`ended_at`) WHERE ended_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `sessions_by_turn_status` ON `sessions` (`turn_status`,`updated_at`);--> statement-breakpoint
CREATE TABLE `skills` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`argument_hint` text,
	`enabled` integer NOT NULL,
	`file_count` integer NOT NULL,
	`hash` text NOT NULL,
	`body_key` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `skills_by_name` ON `skills` (`owner_type`,`owner_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `skills_by_body` ON `skills` (`body_key`);--> statement-breakpoint
CREATE TABLE `sweep_marks` (
	`sweep` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`cursor` text
);
--> statement-breakpoint
CREATE TABLE `usage` (
	`work_id` text NOT NULL,
	`day` text NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`owner_type` text NOT NULL,
	`owner_id` text NOT NULL,
	`member_id` text,
	`cron_id` text,
	`model` text,
	`payer_id` text,
	`calls` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`cached_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`nano_usd` integer,
	`at` integer NOT NULL,
	PRIMARY KEY(`work_id`, `day`)
);
--> statement-breakpoint
CREATE INDEX `usage_by_workspace` ON `usage` (`workspace_id`,`at`);--> statement-breakpoint
CREATE TABLE `workspace_spend` (
	`workspace_id` text NOT NULL,
	`month` text NOT NULL,
	`nano_usd` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `month`)
);--> statement-breakpoint
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
END;--> statement-breakpoint
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
END;--> statement-breakpoint
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
END;
