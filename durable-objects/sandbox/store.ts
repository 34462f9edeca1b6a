// The sandbox object's storage: one record.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { absentSandbox, type Sandbox } from "../../src/rules/sandbox/sandbox.ts";
import { sandbox } from "./tables/sandbox.ts";

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
  };
}
