// The sandbox object's storage: one record of its life, and the settings that it runs on.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { ProjectSettings, StoredValue } from "../../src/rules/project/settings.ts";
import { absentSandbox, type Sandbox } from "../../src/rules/sandbox/sandbox.ts";
import { sandbox, settingsInForce } from "./tables/sandbox.ts";

export function openSandboxStore(db: DrizzleSqliteDODatabase) {
  return {
    load(): Sandbox {
      const row = db.select().from(sandbox).get();
      if (!row) return absentSandbox;
      const { id: _, ...record } = row;
      return record;
    },
    save(record: Sandbox): void {
      const row = { id: 1, ...record };
      db.insert(sandbox).values(row).onConflictDoUpdate({ target: sandbox.id, set: row }).run();
    },
    /** The settings that the last start or reset took; null for a sandbox from before they were kept. */
    settings(): ProjectSettings<StoredValue> | null {
      return db.select().from(settingsInForce).get()?.settings ?? null;
    },
    keepSettings(settings: ProjectSettings<StoredValue>): void {
      const row = { id: 1, settings };
      db.insert(settingsInForce).values(row).onConflictDoUpdate({ target: settingsInForce.id, set: row }).run();
    },
    dropSettings(): void {
      db.delete(settingsInForce).run();
    },
  };
}

export type SandboxStore = ReturnType<typeof openSandboxStore>;
