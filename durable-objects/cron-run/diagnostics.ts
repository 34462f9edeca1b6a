// The diagnostics of a run: its phases, statistics of what its agent did, and its log.
import type { CronRun } from "../../src/cron/rules/run.ts";
import { diagnosticsLogBytes, diagnosticsLogLifetimeMs } from "../../src/rules/limits.ts";
import type { CronRunContext } from "./context.ts";
import { getNewestLines } from "./log.ts";
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
    log: isCleared ? null : formatLog(run, firstEventAt, store.log.lines()),
  };
}

/** The phases of the start, the lines of the program, and the end. */
function formatLog(run: CronRun, firstEventAt: number | null, lines: string[]): string {
  const end =
    run.completedAt === null ? [] : [line(run.completedAt, `${run.status}${run.error ? `: ${run.error}` : ""}`)];
  const all = [...startLines(run, firstEventAt), ...lines, ...end].map((one) => one.replaceAll("\n", " ⏎ "));
  return getNewestLines(all.join("\n"), diagnosticsLogBytes);
}

function startLines(run: CronRun, firstEventAt: number | null): string[] {
  const phases: [number | null, string][] = [
    [run.createdAt, `queued for ${run.projectName}, on ${run.model}`],
    [run.mainWokenAt, `main sandbox ${run.mainSandboxKey} runs`],
    [run.credentialsReadyAt, "credentials ready"],
    [run.agentRequestedAt, "agent requested"],
    [firstEventAt, "first event"],
  ];
  const waited = run.startError === null ? [] : [`the last start failed: ${run.startError}`];
  return [...phases.flatMap(([at, text]) => (at === null ? [] : [line(at, text)])), ...waited];
}

function line(at: number, text: string): string {
  return `${new Date(at).toISOString()} ${text}`;
}
