// The diagnostics of a run: its phases, what its agent did in numbers, and its log.
import type { Block } from "../../src/rules/chat/block.ts";
import type { CronRun } from "../../src/rules/cron/run.ts";
import { diagnosticsLogBytes, diagnosticsLogLifetimeMs } from "../../src/rules/limits.ts";
import type { CronRunContext } from "./context.ts";
import type { DonePayload, RunDiagnostics } from "./rpc.ts";

/** Reads the diagnostics; null for a run that is not there. What the log tells was redacted before it came here. */
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
  const lines = [...startLines(run, firstEventAt)];
  for (const block of store.blocks(run.id)) {
    if (block.type === "tool") done.toolCalls += 1;
    if (block.type === "artifact") done.artifacts += 1;
    if (block.type === "filed_sessions") done.filedSessions += block.sessions.length;
    lines.push(...blockLines(block));
  }
  if (run.completedAt !== null) lines.push(line(run.completedAt, `${run.status}${run.error ? `: ${run.error}` : ""}`));
  const isCleared = run.completedAt !== null && now - run.completedAt >= diagnosticsLogLifetimeMs;
  return {
    run,
    firstEventAt,
    donePayload: run.completedAt === null || firstEventAt === null ? null : done,
    log: isCleared ? null : newest(lines),
  };
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

function blockLines(block: Block): string[] {
  if (block.type !== "tool") return [];
  const { name, title, status, startedAt, completedAt } = block;
  const at = startedAt ?? completedAt;
  return [`${at ?? ""} ${name} ${status}: ${title}${completedAt && startedAt ? ` (until ${completedAt})` : ""}`.trim()];
}

function line(at: number, text: string): string {
  return `${new Date(at).toISOString()} ${text}`;
}

/** The newest lines that fit. */
function newest(lines: string[]): string {
  let bytes = 0;
  const kept: string[] = [];
  for (const one of lines.toReversed()) {
    bytes += new TextEncoder().encode(one).length + 1;
    if (bytes > diagnosticsLogBytes) break;
    kept.unshift(one);
  }
  return kept.join("\n");
}
