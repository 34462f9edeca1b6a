// Deletes what nobody can use: a paused main sandbox after a long time without use, and the saved
// work of an ended session.
import { decided } from "../../rules/decision.ts";
import { endedWorkDays, unusedMainDays } from "../../rules/limits.ts";
import { isRefusal } from "../../rules/refusal.ts";
import type { Sandbox, SandboxDecision } from "./lifecycle.ts";
import { destroy } from "./pause.ts";

const dayMs = 24 * 60 * 60_000;
const unusedMs = unusedMainDays * dayMs;
const endedMs = endedWorkDays * dayMs;

/**
 * `removed`: nothing of it is left. Otherwise `dueAt` is when it may be deleted, in milliseconds
 * since the epoch.
 */
export type Reclaimed = { removed: true } | { removed: false; dueAt: number };

/**
 * Deletes a paused main sandbox that was not used for `unusedMainDays`. It cannot be started again.
 */
export function reclaim(sandbox: Sandbox, now: number): SandboxDecision<Reclaimed> {
  if (sandbox.state === "gone") return decided(sandbox, { removed: true });
  const isAsleep = sandbox.state === "paused" && sandbox.owner?.type === "main";
  const dueAt = (isAsleep ? sandbox.lastUsedAt : now) + unusedMs;
  if (now < dueAt) return decided(sandbox, { removed: false, dueAt });
  const ended = destroy(sandbox);
  return isRefusal(ended) ? ended : decided(ended.state, { removed: true }, ended.effects);
}

/** The saved work of a session is due for deletion if the session ended before this time. */
export function getEndedWorkDue(now: number): number {
  return now - endedMs;
}

/**
 * Drops the saved work of a session's sleeping sandbox, because its session ended long ago
 * (`getEndedWorkDue`). Nothing else keeps its base. A running sandbox is left as it is.
 */
export function deleteWork(sandbox: Sandbox): SandboxDecision<null> {
  if (sandbox.state !== "paused" && sandbox.state !== "absent") return decided(sandbox, null);
  if (sandbox.owner?.type !== "session") return decided(sandbox, null);
  const { generation } = sandbox;
  return decided({ ...sandbox, state: "absent", archiveKey: null }, null, [{ type: "drop-work", id: generation }]);
}
