// The context of a sandbox object: what its calls work with.

import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { Env } from "../../src/env.ts";
import type { RelayLimits } from "../../src/preview/rules/relay-limit.ts";
import type { ProjectSettings, StoredValue } from "../../src/project/rules/settings.ts";
import type { SandboxEffect } from "../../src/rules/effect.ts";
import { absentSandbox, type Sandbox } from "../../src/sandbox/rules/lifecycle.ts";
import { fromStored, toStored } from "../../src/sandbox/rules/row.ts";
import type { KeyedLock } from "../object/keyed-lock.ts";
import type { Shell } from "../object/shell.ts";
import type { TrackedBranches } from "./checkout.ts";
import type { ProgramCalls } from "./program-calls.ts";
import type { CheckoutChanges } from "./saved-work.ts";
import { sandbox, savedChanges, settingsInForce } from "./tables.ts";

export interface SandboxContext {
  env: Env;
  store: SandboxStore;
  calls: ProgramCalls;
  shell: Shell<Sandbox, SandboxEffect>;
  /** Saves run one at a time, so that the newest one is the final one. */
  saveLock: KeyedLock;
  /** The prebuild of the last generation that was saved; null before the first save. */
  usedPrebuild: { generation: number; id: string | null } | null;
  /** The size of saved work that was counted last; null before the first save. */
  countedWork: { generation: number; bytes: number } | null;
  trackedBranches: TrackedBranches;
  relayLimits: RelayLimits;
}

/**
 * The sandbox object's storage: one record of its life, the settings that it runs on, and the last
 * saved changes of its checkout.
 */
export function createSandboxStore(db: DrizzleSqliteDODatabase) {
  const only = db.select().from(sandbox).prepare();
  return {
    load(): Sandbox {
      const row = only.get();
      if (!row) return absentSandbox;
      const { id: _, ...record } = row;
      return fromStored(record);
    },
    save(record: Sandbox): void {
      const row = { id: 1, ...toStored(record) };
      db.insert(sandbox).values(row).onConflictDoUpdate({ target: sandbox.id, set: row }).run();
    },
    /** The settings of the last start or reset; null before the first start. */
    settings(): ProjectSettings<StoredValue> | null {
      return db.select().from(settingsInForce).get()?.settings ?? null;
    },
    saveSettings(settings: ProjectSettings<StoredValue>): void {
      const row = { id: 1, settings };
      db.insert(settingsInForce).values(row).onConflictDoUpdate({ target: settingsInForce.id, set: row }).run();
    },
    /** The changes in the checkout when its work was last saved; null before the first save. */
    changes(): CheckoutChanges | null {
      return db.select().from(savedChanges).get()?.changes ?? null;
    },
    saveChanges(changes: CheckoutChanges): void {
      const row = { id: 1, changes };
      db.insert(savedChanges).values(row).onConflictDoUpdate({ target: savedChanges.id, set: row }).run();
    },
    /** Deletes what belongs to the project: settings and changes. */
    dropContent(): void {
      db.delete(settingsInForce).run();
      db.delete(savedChanges).run();
    },
  };
}

export type SandboxStore = ReturnType<typeof createSandboxStore>;
