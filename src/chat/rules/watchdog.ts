// The watchdog decides from a turn's signs of life whether the turn is still alive, and fails it if
// not.
import { decided } from "../../rules/decision.ts";
import { longestTurnMs, turnSilenceMs } from "../../rules/limits.ts";
import { isRefusal } from "../../rules/refusal.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { isUnfinished, type Turn } from "./turn.ts";
import { endTurn } from "./turn-end.ts";

/** The signs of life of a turn. */
export interface TurnSigns {
  /** The time of the last event or heartbeat, in milliseconds; null if there was none. */
  lastSignAt: number | null;
  /** The state of the sandbox, from its object. */
  sandbox: "starting" | "running" | "gone" | "unknown";
  /** The generation of that sandbox, if known. */
  sandboxGeneration?: number;
  /**
   * When the sandbox started to run, if known. Before that, the turn was waiting for it to start.
   */
  sandboxRunningSince?: number | null;
}

/**
 * The interval of checks. A turn that would exceed the allowed silence before the next check is
 * checked at that time.
 */
const watchEveryMs = 30_000;

/** Fails a turn without a sign of life, or whose sandbox is gone. Otherwise sets the next check. */
export function watchTurn(
  chat: ChatState,
  command: { seen: Pick<Turn, "id" | "status">; signs: TurnSigns },
  now: number,
): ChatDecision<{ ended: boolean }> {
  const { turn } = chat;
  if (!isUnfinished(turn)) return decided(chat, { ended: false });
  // The signs were read before this decision. They do not apply if the turn has changed since.
  const isSame = turn.id === command.seen.id && turn.status === command.seen.status;
  const error = isSame ? verdictOn(turn, command.signs, now) : null;
  // A requested stop has its own deadline, at which the sandbox is discarded.
  const isBeingStopped = turn.stopRequestedAt !== null && command.signs.sandbox !== "gone";
  if (error === null || isBeingStopped) {
    return decided(chat, { ended: false }, [
      { type: "remind", name: "watch-turn", at: nextCheckAt(turn, command.signs, now) },
      // A pending turn is handed over again, because its sandbox may be gone and its agent has not
      // started. A sandbox that already has the turn keeps it.
      ...(isSame && turn.status === "pending" && command.signs.sandbox !== "starting"
        ? [{ type: "start-turn" as const, id: turn.id }]
        : []),
    ]);
  }
  const end = { status: "failed" as const, error, errorCode: null };
  const ended = endTurn(chat, { turnId: turn.id, end }, now);
  if (isRefusal(ended)) return ended;
  const generation = command.signs.sandboxGeneration ?? turn.generation;
  return decided(ended.state, ended.result, [
    { type: "stop-turn", id: turn.id },
    // A sandbox that runs but does not respond would not respond to the next turn either. One that
    // responds has the work of the turn, and saves it.
    ...(command.signs.sandbox === "running" && isSilent(turn, command.signs, now)
      ? [{ type: "discard-sandbox" as const, id: generation }]
      : []),
    ...ended.effects,
  ]);
}

/** The error of a turn whose sandbox was lost. */
export const sandboxStopped =
  "The sandbox stopped while the turn was running. Send the message again to continue in a new sandbox.";

/** The error of a turn whose agent is silent. Its sandbox is discarded with it. */
export const agentSilent = `The agent gave no sign of life for ${turnSilenceMs / 1000} seconds.`;

function verdictOn(turn: Turn, signs: TurnSigns, now: number): string | null {
  if (turn.status === "running" && signs.sandbox === "gone") {
    return sandboxStopped;
  }
  if (now - turn.createdAt >= longestTurnMs) return "The turn reached the longest time a turn may take, 4 hours.";
  // A slow start is limited by the sandbox's own start deadline.
  if (signs.sandbox === "starting") return null;
  return isSilent(turn, signs, now) ? `${agentSilent} Send the message again.` : null;
}

function isSilent(turn: Turn, signs: TurnSigns, now: number): boolean {
  return now - getLastSign(turn, signs) >= turnSilenceMs;
}

function getLastSign(turn: Turn, { lastSignAt, sandboxRunningSince }: TurnSigns): number {
  return Math.max(lastSignAt ?? 0, sandboxRunningSince ?? 0, turn.startedAt ?? turn.createdAt);
}

function nextCheckAt(turn: Turn, signs: TurnSigns, now: number): number {
  const tooSilentAt = getLastSign(turn, signs) + turnSilenceMs;
  return tooSilentAt > now ? Math.min(now + watchEveryMs, tooSilentAt) : now + watchEveryMs;
}
