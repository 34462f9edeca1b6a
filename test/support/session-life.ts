// A session's life: random commands and news, one after the other, each decided by its rule on what the one before it left. Every step
// is recorded, so that a promise can be held against the whole of it. What a rule is given is frozen: one that changes it breaks the life.

import type { Author } from "../../src/rules/access/actor.ts";
import { settledChat } from "../../src/rules/chat/chat.ts";
import { deleteQueued, editQueued, moveQueued } from "../../src/rules/chat/queued-message.ts";
import { steer, steerTaken } from "../../src/rules/chat/steer.ts";
import { cancelTurn, stopOverdue } from "../../src/rules/chat/stop.ts";
import { turnStarted } from "../../src/rules/chat/turn.ts";
import type { TurnEnd } from "../../src/rules/chat/turn-end.ts";
import { type TurnSigns, watchTurn } from "../../src/rules/chat/watchdog.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import { turnSilenceMs } from "../../src/rules/limits.ts";
import { isRefusal, type RefusalCode } from "../../src/rules/refusal.ts";
import { ofChat } from "../../src/rules/session/chat.ts";
import { resumeUpNext } from "../../src/rules/session/resume.ts";
import { runCommand } from "../../src/rules/session/runtime-command.ts";
import { send, sendQueued } from "../../src/rules/session/send.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import { endTurn, settleTurn } from "../../src/rules/session/turn-end.ts";
import { updateSession } from "../../src/rules/session/update.ts";
import { type RandomSource, randomSource } from "./random-source.ts";
import {
  now as birth,
  byAuthor,
  byMember,
  cron,
  member,
  sendCommand,
  sendFacts,
  sessionState,
} from "./session-state.ts";

export type Deed =
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

/** One decision of a life. A refusal leaves `after` as `before`, and has neither answer nor effects. */
export interface Step {
  /** Where to look when a promise is broken. */
  where: string;
  deed: Deed;
  now: number;
  before: SessionState;
  after: SessionState;
  refused: RefusalCode | null;
  answer: unknown;
  effects: SessionEffect[];
  /** The message of a send, or the one that a change is about. */
  messageId: string;
}

const ends: readonly [TurnEnd, ...TurnEnd[]] = [
  { status: "completed" },
  { status: "completed" },
  { status: "completed" },
  { status: "awaiting_response" },
  { status: "cancelled" },
  { status: "failed", error: "It broke.", errorCode: null },
];

const sights: readonly [TurnSigns["sandbox"], ...TurnSigns["sandbox"][]] = [
  "running",
  "running",
  "starting",
  "gone",
  "unknown",
];

/** Leads a life of so many steps. Each seed has its own leaning, so that some lives fill Up next and others hardly use it. */
export function leadLife(seed: number, length: number): Step[] {
  const random = randomSource(seed);
  const leaning = leaningOf(random);
  const steps: Step[] = [];
  let state = frozen(sessionState({ session: { assignee: null } }));
  let now = birth;
  const left = new Set<string>();
  for (let place = 1; place <= length; place++) {
    now += random.oneIn(8) ? random.below(2 * turnSilenceMs) : random.below(5_000);
    const deed = random.pick(leaning);
    const { messageId, decision } = decide(deed, { state, now, place, random, left });
    const told = isRefusal(decision)
      ? { after: state, refused: decision.code, answer: null, effects: [] }
      : { after: frozen(decision.state), refused: null, answer: decision.answer, effects: decision.effects };
    steps.push({ where: `seed ${seed}, step ${place}: ${deed}`, deed, now, before: state, messageId, ...told });
    for (const id of idsOf(state)) if (!idsOf(told.after).includes(id)) left.add(id);
    // As it is loaded for the next decision.
    state = frozen({ ...told.after, chat: settledChat(told.after.chat) });
  }
  return steps;
}

/** The same, with each session and its chat side by side. */
export function flatLife(seed: number, length: number) {
  const flat = ({ session, chat }: SessionState) => ({ session, ...chat });
  return leadLife(seed, length).map((step) => ({ ...step, before: flat(step.before), after: flat(step.after) }));
}

/** The value with all that is in it, made unchangeable. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** The messages that wait, also those handed to the running turn. */
function idsOf({ chat: { upNext, steers } }: SessionState): string[] {
  return [...upNext, ...steers.map(({ message }) => message)].map(({ id }) => id);
}

function leaningOf(random: RandomSource): readonly [Deed, ...Deed[]] {
  const times = (deed: Deed, count: number) => Array.from({ length: count }, () => deed);
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

interface Moment {
  state: SessionState;
  now: number;
  place: number;
  random: RandomSource;
  /** The ids of messages that waited once and do not any more. */
  left: ReadonlySet<string>;
}

function asList<Item>(items: Item[]): readonly [Item, ...Item[]] {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error("Nothing is in the list.");
  return [first, ...rest];
}

type LifeDecision = Decision<SessionState, unknown, SessionEffect>;

/** Which message it is about, and what its rule makes of it. */
function decide(deed: Deed, moment: Moment): { messageId: string; decision: LifeDecision } {
  const { state, place, random } = moment;
  if (deed === "send") {
    const messageId = `message-${place}`;
    return { messageId, decision: decideOn(deed, moment, messageId, member()) };
  }
  // Of the messages that wait, or of any that was ever sent; by its author, mostly.
  const waiting = state.chat.upNext.length > 0 && !random.oneIn(3) ? random.pick(asList(state.chat.upNext)) : null;
  const messageId = waiting?.id ?? `message-${random.below(place)}`;
  const author = waiting && !random.oneIn(4) ? waiting.author : random.pick([member(), member("usr_bob")]);
  return { messageId, decision: decideOn(deed, moment, messageId, author) };
}

function decideOn(
  deed: Deed,
  { state, now, place, random, left }: Moment,
  messageId: string,
  author: Author,
): LifeDecision {
  // News and commands are mostly of the present turn, and sometimes of one that is over or never was.
  const turnId = state.chat.turn && !random.oneIn(10) ? state.chat.turn.id : `turn-${random.below(place)}`;
  const nextTurnId = `turn-${place}`;
  const by = byAuthor(author, "usr_cleo");
  const facts = { hasLeft: left.has(messageId) };
  const { chat } = state;
  switch (deed) {
    case "send": {
      const command = sendCommand({ messageId, turnId: nextTurnId });
      const sender = random.pick([member(), member("usr_bob"), cron]);
      const runningTurnWasStopped = random.oneIn(20);
      return send(state, { ...command, by: byAuthor(sender) }, sendFacts({ runningTurnWasStopped }), now);
    }
    case "started":
      return ofChat(state, turnStarted(chat, { turnId, generation: 1 + random.below(3) }, now), now);
    case "ended":
      return endTurn(state, { turnId, end: random.pick(ends), nextTurnId }, now);
    case "cancel":
      return settleTurn(state, cancelTurn(chat, { turnId }, now), { nextTurnId }, now);
    case "stop-overdue":
      return settleTurn(state, stopOverdue(chat, now), { nextTurnId }, now);
    case "watch": {
      const sandbox = random.pick(sights);
      const lastSignAt = random.oneIn(2) ? now - random.below(2 * turnSilenceMs) : null;
      const seen = { id: turnId, status: state.chat.turn?.status ?? "pending" };
      const watched = watchTurn(chat, { seen, signs: { sandbox, lastSignAt } }, now);
      return settleTurn(state, watched, { nextTurnId }, now);
    }
    case "resume":
      return resumeUpNext(state, { turnId: nextTurnId }, sendFacts(), now);
    case "edit": {
      const edit = { messageId, by, version: null, retained: null, added: [], editing: null };
      return ofChat(state, editQueued(chat, { ...edit, content: `edited at ${place}` }, facts, now), now);
    }
    case "delete":
      return ofChat(state, deleteQueued(chat, { messageId, by }, facts), now);
    case "move":
      return ofChat(state, moveQueued(chat, { messageId, by, toIndex: random.below(8) - 1 }, facts), now);
    case "send-now":
      return sendQueued(state, { messageId, turnId: nextTurnId, by }, { ...sendFacts(), ...facts }, now);
    case "steer":
      return ofChat(state, steer(chat, { messageId, steerId: `steer-${place}`, by }, facts), now);
    case "steer-taken": {
      // Mostly the first that waits, and sometimes one that was taken long ago.
      const steerId = random.oneIn(5) ? `steer-${random.below(place)}` : (state.chat.steers[0]?.steerId ?? "");
      return ofChat(state, steerTaken(chat, { turnId, steerId }, now), now);
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
      return runCommand(state, { id: `command-${place}`, command: "/clear", instructions: null }, now);
  }
}
