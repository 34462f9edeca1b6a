// The sessions that the agent of a session files. The session counts them, so that concurrent
// requests are counted one after the other.
import { and, count, eq, ne } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { getFiledDepth } from "../../src/session/rules/filing-limits.ts";
import { noSession, type SessionContext } from "./context.ts";
import type { Filing } from "./rpc.ts";
import { filings } from "./tables.ts";
import { checkTool } from "./tools.ts";

export interface FilingStore {
  /** How many other sessions the turn has filed. */
  countOthers(filing: Filing): number;
  add(filing: Filing): void;
}

export function createFilings(db: DrizzleSqliteDODatabase): FilingStore {
  return {
    countOthers: ({ turnId, filedId }) =>
      db
        .select({ filed: count() })
        .from(filings)
        .where(and(eq(filings.turnId, turnId), ne(filings.filedId, filedId)))
        .get()?.filed ?? 0,
    add: (filing) => void db.insert(filings).values(filing).onConflictDoNothing().run(),
  };
}

/**
 * Counts a session that the agent of a turn files. A repeat counts as the same session. Returns the
 * depth of the filed session, or why it is not filed.
 */
export function recordFiling(context: SessionContext, filing: Filing): { filedDepth: number } | Refusal {
  const turn = context.chat.store.turn(filing.turnId);
  // The API token that named the turn is revoked with the turn. This checks what else the turn may
  // not do.
  const refusal = turn && checkTool(context, { turnId: turn.id, generation: turn.generation }, "file_session");
  if (refusal) return refusal;
  const { session } = context.store.find() ?? {};
  if (!session) return noSession;
  const depth = getFiledDepth(session, context.filings.countOthers(filing));
  // No `await` has run since the count, so no other request comes between.
  if (!isRefusal(depth)) context.filings.add(filing);
  return depth;
}
