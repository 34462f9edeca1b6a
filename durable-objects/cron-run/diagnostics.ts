// The diagnostics of a run: its phases, statistics of what its agent did, and its log.
import { formatRunLog } from "../../src/cron/rules/run-log.ts";
import { diagnosticsLogLifetimeMs } from "../../src/rules/limits.ts";
import type { CronRunContext } from "./context.ts";
import type { DonePayload, RunDiagnostics } from "./rpc.ts";

/**
 * Reads the diagnostics; null for a run that does not exist. The log was redacted before it reached
 * this object.
 */
export function readDiagnostics(
  { store, chat }: Pick<CronRunContext, "store" | "chat">,
  now: number,
): RunDiagnostics | null {
  const { run } = store.find() ?? {};
  if (!run) return null;
  const turn = chat.store.turn(run.id);
  const firstEventAt = turn?.startedAt ?? null;
  const modelTurns = chat.store.calls.of(run.id).length;
  const done: DonePayload = { modelTurns, toolCalls: 0, artifacts: 0, filedSessions: 0, usage: turn?.usage ?? null };
  for (const block of store.blocks(run.id)) {
    if (block.type === "tool") done.toolCalls += 1;
    if (block.type === "artifact") done.artifacts += 1;
    if (block.type === "filed_sessions") done.filedSessions += block.sessions.length;
  }
  const isCleared = run.completedAt !== null && now - run.completedAt >= diagnosticsLogLifetimeMs;
  return {
    run,
    firstEventAt,
    donePayload: run.completedAt === null || firstEventAt === null ? null : done,
    log: isCleared ? null : formatRunLog(run, firstEventAt, store.log.lines()),
  };
}
