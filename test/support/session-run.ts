// Random runs of a session's rules: commands and events in random order, each applied to the state
// that the previous one left. All steps are recorded, so that a property can be checked on the
// whole run. The state is frozen, so a rule that changes its input throws.

import type { Author } from "../../src/access/rules/actor.ts";
import { toSettledChat } from "../../src/chat/rules/chat.ts";
import { deleteQueued, moveQueuedMessage, updateQueuedMessage } from "../../src/chat/rules/queue.ts";
import { recordSteerTaken, steer } from "../../src/chat/rules/steer.ts";
import { cancelTurn, stopOverdue } from "../../src/chat/rules/stop.ts";
import { recordTurnStart } from "../../src/chat/rules/turn.ts";
import { type TurnSigns, watchTurn } from "../../src/chat/rules/watchdog.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import { turnSilenceMs } from "../../src/rules/limits.ts";
import { isRefusal, type RefusalCode } from "../../src/rules/refusal.ts";
import { fromChatDecision } from "../../src/session/rules/chat-decision.ts";
import { runCommand } from "../../src/session/rules/runtime-command.ts";
import { resumeQueue, send, sendQueued } from "../../src/session/rules/send.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { applyTurnDecision, endTurn } from "../../src/session/rules/turn-end.ts";
import { updateSession } from "../../src/session/rules/update.ts";
import { type RandomSource, randomSource } from "./random-source.ts";
import {
  byAuthor,
  byMember,
  cron,
  now as firstTime,
  member,
  sendCommand,
  sendFacts,
  sessionState,
} from "./session-state.ts";
import { turnEnds } from "./turn-ends.ts";

export type Action =
  | "send"
  | "started"
  | "ended"
  | "cancel"
  | "stop-overdue"
  | "watch"
  | "resume"
  | "edit"
  | "delete"
  | "move"
  | "send-now"
  | "steer"
  | "steer-taken"
  | "review"
  | "reopen"
  | "clear";

/**
 * One step of a run. After a refusal, `after` equals `before`, and there are no result and no
 * effects.
 */
export interface Step {
  /** The seed and the step, for the message of a failed check. */
  where: string;
  action: Action;
  now: number;
  before: SessionState;
  after: SessionState;
  refused: RefusalCode | null;
  result: unknown;
  effects: SessionEffect[];
  /** The message of a send or of a change. */
  messageId: string;
}

const sandboxSigns: readonly [TurnSigns["sandbox"], ...TurnSigns["sandbox"][]] = [
  "running",
  "running",
  "starting",
  "gone",
  "unknown",
];

/**
 * Runs random steps. Each seed has different action frequencies, so that some runs fill Up next and
 * others hardly use it.
 */
export function randomRun(seed: number, length: number): Step[] {
  const random = randomSource(seed);
  const actions = listActions(random);
  const steps: Step[] = [];
  let state = frozen(sessionState({ session: { assignee: null } }));
  let now = firstTime;
  const left = new Set<string>();
  for (let place = 1; place <= length; place++) {
    now += random.oneIn(8) ? random.below(2 * turnSilenceMs) : random.below(5_000);
    const action = random.pick(actions);
    const { messageId, decision } = decide(action, { state, now, place, random, left });
    const result = isRefusal(decision)
      ? { after: state, refused: decision.code, result: null, effects: [] }
      : { after: frozen(decision.state), refused: null, result: decision.result, effects: decision.effects };
    steps.push({ where: `seed ${seed}, step ${place}: ${action}`, action, now, before: state, messageId, ...result });
    for (const id of listIds(state)) if (!listIds(result.after).includes(id)) left.add(id);
    // The object settles the chat when it loads the state for the next decision.
    state = frozen({ ...result.after, chat: toSettledChat(result.after.chat) });
  }
  return steps;
}

/** A random run with the fields of the session and its chat in one object. */
export function flatRandomRun(seed: number, length: number) {
  const flat = ({ session, chat }: SessionState) => ({ session, ...chat });
  return randomRun(seed, length).map((step) => ({ ...step, before: flat(step.before), after: flat(step.after) }));
}

/** Freezes a value deeply. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** The ids of the waiting messages and of the steers of the running turn. */
function listIds({ chat: { upNext, steers } }: SessionState): string[] {
  return [...upNext, ...steers.map(({ message }) => message)].map(({ id }) => id);
}

function listActions(random: RandomSource): readonly [Action, ...Action[]] {
  const times = (action: Action, count: number) => Array.from({ length: count }, () => action);
  return [
    "send",
    ...times("send", random.below(12)),
    ...times("started", 1 + random.below(5)),
    ...times("ended", 1 + random.below(6)),
    ...times("cancel", random.below(4)),
    ...times("stop-overdue", 1 + random.below(2)),
    ...times("watch", 1 + random.below(2)),
    ...times("resume", random.below(3)),
    ...times("edit", random.below(4)),
    ...times("delete", random.below(2)),
    ...times("move", random.below(3)),
    ...times("send-now", random.below(2)),
    ...times("steer", random.below(6)),
    ...times("steer-taken", random.below(3)),
    ...times("review", random.below(2)),
    ...times("reopen", random.below(2)),
    ...times("clear", random.below(2)),
  ];
}

interface StepFacts {
  state: SessionState;
  now: number;
  place: number;
  random: RandomSource;
  /** The ids of messages that have left Up next. */
  left: ReadonlySet<string>;
}

function asList<Item>(items: Item[]): readonly [Item, ...Item[]] {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error("Nothing is in the list.");
  return [first, ...rest];
}

type StepDecision = Decision<SessionState, unknown, SessionEffect>;

/** Chooses the message of an action, and applies the action's rule. */
function decide(action: Action, stepFacts: StepFacts): { messageId: string; decision: StepDecision } {
  const { state, place, random } = stepFacts;
  if (action === "send") {
    const messageId = `message-${place}`;
    return { messageId, decision: decideOn(action, stepFacts, messageId, member()) };
  }
  // A waiting message, or any earlier one; mostly the action of its author.
  const waiting = state.chat.upNext.length > 0 && !random.oneIn(3) ? random.pick(asList(state.chat.upNext)) : null;
  const messageId = waiting?.id ?? `message-${random.below(place)}`;
  const author = waiting && !random.oneIn(4) ? waiting.author : random.pick([member(), member("usr_bob")]);
  return { messageId, decision: decideOn(action, stepFacts, messageId, author) };
}

function decideOn(
  action: Action,
  { state, now, place, random, left }: StepFacts,
  messageId: string,
  author: Author,
): StepDecision {
  // Events and commands are mostly for the current turn, sometimes for an earlier or an unknown
  // one.
  const turnId = state.chat.turn && !random.oneIn(10) ? state.chat.turn.id : `turn-${random.below(place)}`;
  const nextTurnId = `turn-${place}`;
  const by = byAuthor(author, "usr_cleo");
  const facts = { hasLeft: left.has(messageId) };
  const { chat } = state;
  switch (action) {
    case "send": {
      const command = sendCommand({ messageId, turnId: nextTurnId });
      const sender = random.pick([member(), member("usr_bob"), cron]);
      const runningTurnWasStopped = random.oneIn(20);
      return send(state, { ...command, by: byAuthor(sender) }, sendFacts({ runningTurnWasStopped }), now);
    }
    case "started":
      return fromChatDecision(state, recordTurnStart(chat, { turnId, generation: 1 + random.below(3) }, now), now);
    case "ended":
      return endTurn(state, { turnId, end: random.pick(turnEnds), nextTurnId }, now);
    case "cancel":
      return applyTurnDecision(state, cancelTurn(chat, { turnId }, now), { nextTurnId }, now);
    case "stop-overdue":
      return applyTurnDecision(state, stopOverdue(chat, now), { nextTurnId }, now);
    case "watch": {
      const sandbox = random.pick(sandboxSigns);
      const lastSignAt = random.oneIn(2) ? now - random.below(2 * turnSilenceMs) : null;
      const seen = { id: turnId, status: state.chat.turn?.status ?? "pending" };
      const watched = watchTurn(chat, { seen, signs: { sandbox, lastSignAt } }, now);
      return applyTurnDecision(state, watched, { nextTurnId }, now);
    }
    case "resume":
      return resumeQueue(state, { turnId: nextTurnId, by }, sendFacts(), now);
    case "edit": {
      const edit = { messageId, by, version: null, retained: null, added: [], editing: null };
      return fromChatDecision(
        state,
        updateQueuedMessage(chat, { ...edit, content: `edited at ${place}` }, facts, now),
        now,
      );
    }
    case "delete":
      return fromChatDecision(state, deleteQueued(chat, { messageId, by }, facts), now);
    case "move":
      return fromChatDecision(
        state,
        moveQueuedMessage(chat, { messageId, by, toIndex: random.below(8) - 1 }, facts),
        now,
      );
    case "send-now":
      return sendQueued(state, { messageId, turnId: nextTurnId, by }, { ...sendFacts(), ...facts }, now);
    case "steer":
      return fromChatDecision(state, steer(chat, { messageId, steerId: `steer-${place}`, by }, facts), now);
    case "steer-taken": {
      // Mostly the first waiting steer, sometimes one that was taken long ago.
      const steerId = random.oneIn(5) ? `steer-${random.below(place)}` : (state.chat.steers[0]?.steerId ?? "");
      return fromChatDecision(state, recordSteerTaken(chat, { turnId, steerId }, now), now);
    }
    case "review":
      return updateSession(
        state,
        { status: "under-review" },
        { ...sendFacts(), by: byMember(), pullRequest: null },
        now,
      );
    case "reopen":
      return updateSession(state, { status: "active" }, { ...sendFacts(), by: byMember(), pullRequest: null }, now);
    case "clear":
      return runCommand(
        state,
        { id: `command-${place}`, command: "/clear", instructions: null, sandbox: null, isHeldByDeploy: false },
        now,
      );
  }
}
