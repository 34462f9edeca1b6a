// A turn: one run of the agent, started by one message and tracked as a job. How it ends is in `turn-end.ts`.
import { type Decision, decided } from "../decision.ts";
import type { SessionEffect } from "../effect.ts";
import { providerOf } from "../model/model.ts";
import type { Author, SessionState } from "../session/session.ts";
import type { MessageBody } from "./message.ts";

export const turnStatuses = ["pending", "running", "awaiting_response", "completed", "failed", "cancelled"] as const;
export type TurnStatus = (typeof turnStatuses)[number];

export interface Turn {
  id: string;
  /** From 1 within the session. */
  number: number;
  status: TurnStatus;
  error: string | null;
  errorCode: string | null;
  sender: Author;
  /** The model it runs on; null lets the service choose. */
  model: string | null;
  /** The agent's conversation that it goes on with, or begins. */
  conversationId: string;
  /** True when the agent starts fresh and gets what was said so far as text. */
  isHandover: boolean;
  /** The sandbox generation that works on it; 0 until one has it. Work of an older generation is ignored. */
  generation: number;
  stopRequestedAt: number | null;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
}

/** A turn is first looked at after this; a sandbox that took it and stopped before it told of it is known to be gone then. */
export const firstLookMs = 5_000;

/** True while a turn holds its session: at most one such turn exists. */
export function isUnfinished(turn: Turn | null): turn is Turn & { status: "pending" | "running" } {
  return turn?.status === "pending" || turn?.status === "running";
}

export interface TurnOpening {
  turnId: string;
  messageId: string;
  body: MessageBody;
  author: Author;
  model: string | null;
  /** True starts the agent fresh, with what was said so far as text. */
  startsFresh?: boolean;
}

/** Makes the next turn from a message. The watchdog is set with it, before any call can leave. */
export function startTurn(
  state: SessionState,
  opening: TurnOpening,
  now: number,
): { state: SessionState; effects: SessionEffect[] } {
  const { turnId, messageId, body, author } = opening;
  const model = opening.model ?? state.session.model;
  const isHandover = opening.startsFresh === true || changesProvider(state, model);
  // A conversation that is begun anew is named by the turn that begins it.
  const conversationId = isHandover ? turnId : state.session.conversationId;
  const turn: Turn = {
    id: turnId,
    number: (state.turn?.number ?? 0) + 1,
    status: "pending",
    error: null,
    errorCode: null,
    sender: author,
    model,
    conversationId,
    isHandover,
    generation: 0,
    stopRequestedAt: null,
    createdAt: now,
    startedAt: null,
    completedAt: null,
  };
  const spoken = [
    ...state.spoken,
    { ...body, id: messageId, turnId, delivery: "job" as const, author, createdAt: now },
  ];
  const session = { ...state.session, model, conversationId, updatedAt: now };
  return {
    state: { ...state, session, turn, spoken },
    effects: [
      { type: "remind", name: "watch-turn", at: now + firstLookMs },
      { type: "start-turn", turnId },
      { type: "index-turn", turnId },
      { type: "index-session" },
    ],
  };
}

/** An agent of one provider cannot go on with the conversation of another's (Part 1, "Send body", `model`). */
function changesProvider({ session, turn }: SessionState, model: string | null): boolean {
  if (turn === null || turn.conversationId !== session.conversationId) return false;
  return turn.model !== null && model !== null && providerOf(turn.model) !== providerOf(model);
}

/** The sandbox has the turn and its agent works. News of another turn, or of an older generation, changes nothing. */
export function turnStarted(
  state: SessionState,
  news: { turnId: string; generation: number },
  now: number,
): Decision<SessionState, { isLive: boolean }, SessionEffect> {
  const { turn } = state;
  if (!isUnfinished(turn) || turn.id !== news.turnId || news.generation < turn.generation) {
    return decided(state, { isLive: false });
  }
  if (turn.status === "running" && turn.generation === news.generation) return decided(state, { isLive: true });
  const running: Turn = { ...turn, status: "running", generation: news.generation, startedAt: turn.startedAt ?? now };
  return decided({ ...state, turn: running }, { isLive: true }, [
    { type: "index-turn", turnId: turn.id },
    { type: "index-session" },
  ]);
}
