// The storage of the commits at which a session's branch has been.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { type BranchHeads, type BranchMove, headsAfter, noHeads } from "../../src/session/rules/branch-push.ts";
import { branchHeads } from "./tables.ts";

export interface BranchHeadsKept {
  /** The known heads. A move by the session's own push is noted first. */
  read(moved: BranchMove | null): BranchHeads;
}

export function openBranchHeads(db: DrizzleSqliteDODatabase): BranchHeadsKept {
  return {
    read(moved) {
      const row = db.select().from(branchHeads).get();
      const known = row ? { own: row.own, others: row.others } : noHeads;
      if (!moved) return known;
      const heads = headsAfter(known, moved);
      const kept = { own: [...heads.own], others: heads.others };
      db.insert(branchHeads)
        .values({ id: 1, ...kept })
        .onConflictDoUpdate({ target: branchHeads.id, set: kept })
        .run();
      return heads;
    },
  };
}
