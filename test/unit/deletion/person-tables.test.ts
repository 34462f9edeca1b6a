// Every table has a decision on what the deletion of a person does to its rows. A new table fails
// here until somebody has decided.

import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";

type Decision =
  /** The rows of the person are deleted with them. */
  | "deleted"
  /** The row stays without what names them. */
  | "emptied"
  /** What names them in a text of the row is replaced. */
  | "renamed"
  /** The row has only their id, which no longer names anybody. */
  | "id only"
  /** It is deleted within a day, by itself. */
  | "short-lived"
  /** It never names a person. */
  | "nobody";

const database: Record<string, Decision> = {
  activity: "renamed",
  activity_counts: "id only",
  activity_daily_counts: "id only",
  artifacts: "nobody",
  audit_days: "nobody",
  audit_events: "renamed",
  base_users: "nobody",
  code_host_identities: "deleted",
  cron_projects: "nobody",
  cron_prompts: "nobody",
  cron_run_counts: "nobody",
  cron_runs: "nobody",
  crons: "id only",
  device_sign_ins: "deleted",
  invitations: "deleted",
  jobs: "id only",
  keys: "deleted",
  marketplaces: "nobody",
  members: "deleted",
  message_texts: "renamed",
  network_secrets: "nobody",
  oauth_codes: "deleted",
  objects_in_doubt: "nobody",
  parked_effects: "nobody",
  plugin_choices: "deleted",
  plugins: "nobody",
  projects: "nobody",
  prototypes: "id only",
  provider_logins: "deleted",
  push_devices: "deleted",
  push_notices: "deleted",
  removals: "short-lived",
  running_time: "nobody",
  sandbox_bases: "nobody",
  sandbox_slots: "nobody",
  sandbox_spares: "nobody",
  seen_marks: "deleted",
  session_seen: "deleted",
  session_creates: "short-lived",
  session_restores: "nobody",
  session_metadata: "renamed",
  sessions: "id only",
  share_links: "id only",
  // They expire with the deletion, and the next sweep deletes them and revokes their tokens.
  sign_in_attempts: "short-lived",
  skills: "deleted",
  stored_objects: "nobody",
  sweep_marks: "nobody",
  // Sealed tokens on their way to be revoked.
  token_revocations: "short-lived",
  usage: "id only",
  trigger_keys: "nobody",
  trigger_answers: "nobody",
  trigger_places: "nobody",
  trigger_runs: "nobody",
  trigger_secrets: "nobody",
  triggers: "id only",
  users: "emptied",
  web_push_devices: "deleted",
  webhook_events: "short-lived",
  webhooks: "id only",
  workspace_spend: "nobody",
  workspaces: "nobody",
};

/** `deletePersonFromTables` goes through all tables of these objects. */
const renamedObjects = ["chat", "cron-run", "project", "session"];
const otherObjects: Record<string, Record<string, Decision>> = {
  "code-host": { deliveries: "short-lived" },
  cron: { answers: "short-lived", cron: "id only", effects: "short-lived", fired_slots: "nobody", reminders: "nobody" },
  // The log has 30 days. Its bodies name people by their id.
  webhook: { attempts: "nobody", deliveries: "id only" },
  sandbox: {
    effects: "nobody",
    kept_changes: "nobody",
    reminders: "nobody",
    sandbox: "nobody",
    settings_in_force: "nobody",
  },
};

const root = fileURLToPath(new URL("../../../", import.meta.url).href);

async function readTables(folder: string): Promise<Map<string, string[]>> {
  const tables = new Map<string, string[]>();
  for (const noun of await readdir(`${root}${folder}`, { withFileTypes: true })) {
    if (!noun.isDirectory() || !(await readdir(`${root}${folder}/${noun.name}`)).includes("tables.ts")) continue;
    const found: unknown[] = Object.values(await import(`${root}${folder}/${noun.name}/tables.ts`));
    tables.set(
      noun.name,
      found.flatMap((table) => (is(table, SQLiteTable) ? [getTableConfig(table).name] : [])),
    );
  }
  return tables;
}

test("every table of the database", async () => {
  const names = [...(await readTables("src")).values()].flat();
  expect(names.toSorted()).toEqual(Object.keys(database).toSorted());
});

test("every table of every object", async () => {
  const objects = await readTables("durable-objects");
  for (const noun of renamedObjects) expect(objects.has(noun)).toBe(true);
  const rest = [...objects].filter(([noun]) => !renamedObjects.includes(noun));
  expect(Object.fromEntries(rest.map(([noun, names]) => [noun, names.toSorted()]))).toEqual(
    Object.fromEntries(Object.entries(otherObjects).map(([noun, tables]) => [noun, Object.keys(tables).toSorted()])),
  );
});
