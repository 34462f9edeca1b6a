// Up next: the messages that wait while a turn runs, the reasons it pauses for, and which message goes when.
import { type Decision, decided } from "../decision.ts";
import type { SessionEffect } from "../effect.ts";
import { upNextSize } from "../limits.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { checkNoCommand } from "../session/runtime-command.ts";
import { checkSandbox, type SandboxCircumstances } from "../session/sandbox-need.ts";
import type { Author, SessionState } from "../session/session.ts";
import type { MessageBody } from "./message.ts";
import { isUnfinished, startTurn } from "./turn.ts";

export const pauseReasons = ["failed", "cancelled", "awaiting_response", "under_review"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export interface UpNextPause {
  reason: PauseReason;
  pausedAt: number;
}

export interface QueuedMessage extends MessageBody {
  id: string;
  author: Author;
  /** Rises with every edit, so that an edit of an older text can be refused. */
  version: number;
  /** The user who has it open for editing, until when. */
  editing: { userId: string; until: number } | null;
  createdAt: number;
}

/** Puts a message at the end of Up next, or refuses when it is full (Part 1, "Limits"). */
export function enqueue(state: SessionState, message: QueuedMessage): SessionState | Refusal {
  // A steer that is not taken comes back, and finds its place kept.
  if (state.upNext.length + state.steers.length >= upNextSize) return refuse("QUEUE_FULL");
  return { ...state, upNext: [...state.upNext, message] };
}

/** Starts the top message's turn when nothing runs and nothing pauses Up next (Part 1, "Up next"). */
export function drain(
  state: SessionState,
  turnId: string,
  now: number,
): { state: SessionState; effects: SessionEffect[] } {
  const [top] = state.upNext;
  if (!top || !goesOn(state)) return { state, effects: [] };
  return startQueued(state, top, { turnId, model: null }, now);
}

/** True when the top message may start its turn. */
function goesOn({ session, turn, pause }: SessionState): boolean {
  return pause === null && session.status === "active" && !isUnfinished(turn);
}

/** Starts the turn of a message that waits. */
export function startQueued(
  state: SessionState,
  message: QueuedMessage,
  { turnId, model }: { turnId: string; model: string | null },
  now: number,
): { state: SessionState; effects: SessionEffect[] } {
  const { id, content, attachments, author, createdAt } = message;
  const upNext = state.upNext.filter((waiting) => waiting !== message);
  const context = { ...message.context, writtenAt: message.context.writtenAt ?? createdAt };
  const body = { content, attachments, context };
  return startTurn({ ...state, upNext }, { turnId, messageId: id, body, author, model }, now);
}

/** Resumes a paused Up next; its top message is sent when nothing runs. Resuming one that is not paused changes nothing. */
export function resumeUpNext(
  state: SessionState,
  command: { turnId: string; modelIfNone?: string | null },
  facts: SandboxCircumstances,
  now: number,
): Decision<SessionState, null, SessionEffect> {
  if (state.session.status !== "active") {
    return refuse("BAD_REQUEST", "Up next can be resumed only while the session is Active.");
  }
  const busy = checkNoCommand(state.session);
  if (busy) return busy;
  // A session whose first turn found no model to run on may find one now.
  const session = { ...state.session, model: state.session.model ?? command.modelIfNone ?? null };
  const resumed = drain({ ...state, session, pause: null }, command.turnId, now);
  if (resumed.state.turn === state.turn) return decided({ ...state, pause: null }, null, [{ type: "index-session" }]);
  if (facts.isBlockedOnBilling) return refuse("CREDIT_LIMIT_REACHED");
  // A sandbox that starts is waited for: the message was accepted long ago, so nobody has to come again for it.
  const need = facts.sandbox === "starting" ? null : checkSandbox(facts);
  if (need) return need;
  return decided(resumed.state, null, [...resumed.effects, { type: "index-session" }]);
}
