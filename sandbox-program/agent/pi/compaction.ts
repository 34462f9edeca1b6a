// Compacts a pi session on request: everything but the last message becomes a summary.
import type { AgentSession } from "@earendil-works/pi-coding-agent";
import type { CompactionEnd } from "../agent.ts";
import { toFailedEnd } from "./failure.ts";
import { compactionSettings } from "./resources.ts";

const nothingToCompact = /^(Already compacted|Nothing to compact)/;

/** Has pi summarize the session's conversation. The focus may be empty. */
export async function compactSession(
  session: AgentSession,
  focus: string,
  signal: AbortSignal,
): Promise<CompactionEnd> {
  const abort = () => session.abortCompaction();
  signal.addEventListener("abort", abort, { once: true });
  // By default pi compacts only a full conversation, and keeps much of it.
  session.settingsManager.applyOverrides({ compaction: { ...compactionSettings, keepRecentTokens: 1 } });
  try {
    const compacting = session.compact(focus === "" ? undefined : focus);
    if (signal.aborted) abort();
    await compacting;
    return { type: "done" };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (nothingToCompact.test(reason)) return { type: "nothing" };
    return signal.aborted ? { type: "failed", error: "The summary was not finished in time." } : toFailedEnd(reason);
  } finally {
    signal.removeEventListener("abort", abort);
    session.settingsManager.applyOverrides({ compaction: compactionSettings });
  }
}
