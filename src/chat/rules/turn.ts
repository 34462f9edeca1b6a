// A turn: one run of the agent, started by one message and tracked as a job. `turn-end.ts` has the
// rules of its end.

import type { Author } from "../../access/rules/actor.ts";
import type { Payer } from "../../provider-login/rules/payer.ts";
import { decided } from "../../rules/decision.ts";
import type { ChatEffect } from "../../rules/effect.ts";
import { usageReportMs } from "../../rules/limits.ts";
import { findCalledBuiltInSkill } from "../../skill/rules/skill-call.ts";
import { addUsage, type Usage } from "../../usage/rules/usage.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { mayAnswer } from "./clarification.ts";
import { isOtherProvider } from "./fresh-agent.ts";
import type { MessageBody } from "./message.ts";

export const turnStatuses = ["pending", "running", "awaiting_response", "completed", "failed", "cancelled"] as const;
export type TurnStatus = (typeof turnStatuses)[number];

export interface Turn {
  id: string;
  /** From 1 within the chat. */
  number: number;
  status: TurnStatus;
  error: string | null;
  errorCode: string | null;
  sender: Author;
  /** Its model; null lets the service choose. */
  model: string | null;
  /** The payer of its model calls; null until it is settled, when the sandbox is requested. */
  payer: Payer | null;
  /** The usage of its model calls so far; null before the first response. */
  usage: Usage | null;
  /** The agent's conversation that it continues or starts. */
  conversationId: string;
  /** True if the agent starts fresh and gets the conversation so far as text. */
  isHandover: boolean;
  /**
   * The sandbox generation that runs it; 0 before one does. Events of an older generation are
   * ignored.
   */
  generation: number;
  /** The schema of the result that its agent must submit, as JSON; null for none. */
  resultSchema: string | null;
  /** The newest result that its agent has submitted, as JSON; null before the first. */
  result: string | null;
  stopRequestedAt: number | null;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
}

/**
 * The delay before the watchdog's first check, which detects a sandbox that stopped before it
 * reported the turn.
 */
export const firstCheckMs = 5_000;

/** True for a turn that has not ended. A chat has at most one. */
export function isUnfinished(turn: Turn | null): turn is Turn & { status: "pending" | "running" } {
  return turn?.status === "pending" || turn?.status === "running";
}

/** The parameters of a new turn: its first message, and what the message requests. */
export interface NewTurn {
  turnId: string;
  messageId: string;
  body: MessageBody;
  author: Author;
  /** Null keeps the chat's model. */
  model: string | null;
  /** True starts the agent fresh, with the conversation so far as text. */
  startsFresh?: boolean;
}

/**
 * Starts the next turn with a message. The same decision sets the watchdog, so that the first call
 * is also covered.
 */
export function startTurn(chat: ChatState, command: NewTurn, now: number): { state: ChatState; effects: ChatEffect[] } {
  const { turnId, messageId, body, author } = command;
  const model = command.model ?? chat.model;
  const isHandover = command.startsFresh === true || isOtherProvider(chat, model);
  // A new conversation has the id of the turn that starts it.
  const conversationId = isHandover ? turnId : chat.conversationId;
  const turn: Turn = {
    id: turnId,
    number: (chat.turn?.number ?? 0) + 1,
    status: "pending",
    error: null,
    errorCode: null,
    sender: author,
    model,
    payer: null,
    usage: null,
    conversationId,
    isHandover,
    generation: 0,
    resultSchema: findResultSchema(chat, command),
    result: null,
    stopRequestedAt: null,
    createdAt: now,
    startedAt: null,
    completedAt: null,
  };
  const newMessages = [
    ...chat.newMessages,
    { ...body, id: messageId, turnId, delivery: "job" as const, author, createdAt: now },
  ];
  return {
    state: { ...chat, model, conversationId, turn, newMessages },
    effects: [
      { type: "remind", name: "watch-turn", at: now + firstCheckMs },
      { type: "start-turn", id: turnId },
      { type: "index-turn", id: turnId },
      { type: "index-chat" },
    ],
  };
}

/**
 * True if the next turn's agent knows of a turn. After `/clear` it knows of none before, so that no
 * message answers or continues one.
 */
export function isRemembered(turn: Turn | null, clearedAt: number | null): turn is Turn {
  return turn !== null && (clearedAt === null || turn.createdAt > clearedAt);
}

/**
 * The schema of a new turn's result: that of its message. A message that answers the previous
 * turn's questions, or retries that turn, continues it and keeps its schema.
 */
function findResultSchema(
  { turn: previous, clearedAt }: ChatState,
  { body, author, model, startsFresh }: NewTurn,
): string | null {
  if (body.context.resultSchema) return body.context.resultSchema;
  if (!isRemembered(previous, clearedAt)) return null;
  const isAnswer = mayAnswer(body, previous) && findCalledBuiltInSkill({ ...body, author }, model) === null;
  return isAnswer || startsFresh === true ? previous.resultSchema : null;
}

/** True if the decision started a turn. */
export function hasStartedTurn(before: ChatState | null, { turn }: ChatState): boolean {
  return isUnfinished(turn) && turn.id !== before?.turn?.id;
}

/** Adds the usage of a model call to a turn. */
export function countCall(turn: Turn, call: Usage): Turn {
  return { ...turn, usage: addUsage(turn.usage, call) };
}

/**
 * The next time to report a turn's usage to the workspace. It depends on the start of the turn, so
 * that the turns of a workspace do not all write at the same time.
 */
export function getUsageReportTime({ createdAt }: Pick<Turn, "createdAt">, now: number): number {
  return createdAt + (Math.floor((now - createdAt) / usageReportMs) + 1) * usageReportMs;
}

/** Reports the running turn's usage so far to the workspace. */
export function publishUsage(chat: ChatState): ChatDecision<null> {
  const { turn } = chat;
  if (!isUnfinished(turn) || turn.usage === null) return decided(chat, null);
  return decided(chat, null, [{ type: "index-usage", id: turn.id }]);
}

/**
 * Marks a turn as running, when its sandbox reports it. Ignores events of another turn or an older
 * generation.
 */
export function recordTurnStart(
  chat: ChatState,
  event: { turnId: string; generation: number },
  now: number,
): ChatDecision<{ isLive: boolean }> {
  const { turn } = chat;
  if (!isUnfinished(turn) || turn.id !== event.turnId || event.generation < turn.generation) {
    return decided(chat, { isLive: false });
  }
  if (turn.status === "running" && turn.generation === event.generation) return decided(chat, { isLive: true });
  const running: Turn = { ...turn, status: "running", generation: event.generation, startedAt: turn.startedAt ?? now };
  return decided({ ...chat, turn: running }, { isLive: true }, [
    { type: "index-turn", id: turn.id },
    { type: "index-chat" },
  ]);
}
