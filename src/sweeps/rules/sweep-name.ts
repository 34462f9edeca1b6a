// The names of the scheduled sweeps. Each sweep runs in its own object.

/** The sweeps of the schedule. */
export const sweepNames = [
  "silent turns",
  "creates",
  "missed webhooks",
  "activity",
  "unconfirmed objects",
  "unused bases",
  "unused main sandboxes",
  "ended work",
  "old slots",
  "alarms of sessions",
  "alarms of projects",
  "alarms of crons",
  "removals",
  "crons",
  "cron runs",
  "changed timezones",
  "notices",
  "trigger runs",
  "webhook events",
  "alarms of webhooks",
  "sign-ins",
  "marketplaces",
  "stale seals",
  "audit log",
] as const;
export type SweepName = (typeof sweepNames)[number];
