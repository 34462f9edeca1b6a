// The watchdog: what it takes to believe that a turn is still alive, and what becomes of one that is not.
import { decided } from "../decision.ts";
import { longestTurnMs, turnSilenceMs } from "../limits.ts";
import { isRefusal } from "../refusal.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { isUnfinished, type Turn } from "./turn.ts";
import { endTurn } from "./turn-end.ts";

/** What can be seen of a turn from outside it. */
export interface TurnSigns {
  /** The last event or heartbeat, in milliseconds; null when there was none. */
  lastSignAt: number | null;
  /** What the sandbox object says of the sandbox. */
  sandbox: "starting" | "running" | "gone" | "unknown";
  /** Which generation of the sandbox that is, where it is known. */
  sandboxGeneration?: number;
  /** Since when it runs, where it is known: until then its start kept the turn waiting. */
  sandboxRunningSince?: number | null;
}

/** How often a live turn is checked; one that may be silent for too long before that is checked then. */
const watchEveryMs = 30_000;

/** The watchdog: fails a turn that gives no sign of life, or whose sandbox is gone; otherwise checks again later. */
export function watchTurn(
  chat: ChatState,
  command: { seen: Pick<Turn, "id" | "status">; signs: TurnSigns },
  now: number,
): ChatDecision<{ ended: boolean }> {
  const { turn } = chat;
  if (!isUnfinished(turn)) return decided(chat, { ended: false });
  // The signs were read of the turn as it was then; of one that has moved on they say nothing.
  const isSame = turn.id === command.seen.id && turn.status === command.seen.status;
  const error = isSame ? verdictOn(turn, command.signs, now) : null;
  // A stop that was asked for has a deadline of its own, and ends with the sandbox discarded when nothing confirms it.
  const isBeingStopped = turn.stopRequestedAt !== null && command.signs.sandbox !== "gone";
  if (error === null || isBeingStopped) {
    return decided(chat, { ended: false }, [
      { type: "remind", name: "watch-turn", at: nextCheckAt(turn, command.signs, now) },
      // The sandbox that had it may be gone. Its agent has not begun, so it may be handed over again; whoever has it stays with it.
      ...(isSame && turn.status === "pending" && command.signs.sandbox !== "starting"
        ? [{ type: "start-turn" as const, turnId: turn.id }]
        : []),
    ]);
  }
  const end = { status: "failed" as const, error, errorCode: null };
  const ended = endTurn(chat, { turnId: turn.id, end }, now);
  if (isRefusal(ended)) return ended;
  const generation = command.signs.sandboxGeneration ?? turn.generation;
  return decided(ended.state, ended.answer, [
    { type: "stop-turn", turnId: turn.id },
    // A sandbox that runs and is silent would be as deaf to the next turn.
    ...(command.signs.sandbox === "running" ? [{ type: "discard-sandbox" as const, generation }] : []),
    ...ended.effects,
  ]);
}

function verdictOn(turn: Turn, signs: TurnSigns, now: number): string | null {
  if (turn.status === "running" && signs.sandbox === "gone") {
    return "The sandbox stopped while the turn was running. Send the message again to continue in a new sandbox.";
  }
  if (now - turn.createdAt >= longestTurnMs) return "The turn reached the longest time a turn may take, 4 hours.";
  // A slow wake is bounded by the sandbox's own start deadline.
  if (signs.sandbox === "starting") return null;
  if (now - lastSignOf(turn, signs) < turnSilenceMs) return null;
  return `The agent gave no sign of life for ${turnSilenceMs / 1000} seconds. Send the message again.`;
}

function lastSignOf(turn: Turn, { lastSignAt, sandboxRunningSince }: TurnSigns): number {
  return Math.max(lastSignAt ?? 0, sandboxRunningSince ?? 0, turn.startedAt ?? turn.createdAt);
}

function nextCheckAt(turn: Turn, signs: TurnSigns, now: number): number {
  const tooSilentAt = lastSignOf(turn, signs) + turnSilenceMs;
  return tooSilentAt > now ? Math.min(now + watchEveryMs, tooSilentAt) : now + watchEveryMs;
}
