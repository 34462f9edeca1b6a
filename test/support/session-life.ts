// A session's life: random commands and news, one after the other, each decided by its rule on what the one before it left. Every step
// is recorded, so that a promise can be held against the whole of it.

import type { Decision } from "../../src/rules/decision.ts";
import { send } from "../../src/rules/delivery.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import { turnSilenceMs } from "../../src/rules/limits.ts";
import { isRefusal, type RefusalCode } from "../../src/rules/refusal.ts";
import type { SessionState } from "../../src/rules/session.ts";
import { turnStarted } from "../../src/rules/turn.ts";
import { cancelTurn, endTurn, stopOverdue, type TurnEnd } from "../../src/rules/turn-end.ts";
import { resumeUpNext } from "../../src/rules/up-next.ts";
import { type TurnSigns, watchTurn } from "../../src/rules/watchdog.ts";
import { type RandomSource, randomSource } from "./random-source.ts";
import { now as birth, cron, member, sendCommand, sendFacts, sessionState } from "./session-state.ts";

export type Deed = "send" | "started" | "ended" | "cancel" | "stop-overdue" | "watch" | "resume";

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
  /** The message of a send. */
  messageId: string | null;
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
  let state = sessionState({ session: { assignee: null } });
  let now = birth;
  for (let place = 1; place <= length; place++) {
    now += random.oneIn(8) ? random.below(2 * turnSilenceMs) : random.below(5_000);
    const deed = random.pick(leaning);
    const messageId = deed === "send" ? `message-${place}` : null;
    const decision = decide(deed, { state, now, place, random });
    const told = isRefusal(decision)
      ? { after: state, refused: decision.refused, answer: null, effects: [] }
      : { after: decision.state, refused: null, answer: decision.answer, effects: decision.effects };
    steps.push({ where: `seed ${seed}, step ${place}: ${deed}`, deed, now, before: state, messageId, ...told });
    // As it is loaded for the next decision.
    state = { ...told.after, endedTurn: null, spoken: [] };
  }
  return steps;
}

function leaningOf(random: RandomSource): readonly [Deed, ...Deed[]] {
  const times = (deed: Deed, count: number) => Array.from({ length: count }, () => deed);
  return [
    "send",
    ...times("send", random.below(12)),
    ...times("started", 1 + random.below(5)),
    ...times("ended", 1 + random.below(6)),
    ...times("cancel", random.below(3)),
    ...times("stop-overdue", 1 + random.below(2)),
    ...times("watch", 1 + random.below(2)),
    ...times("resume", random.below(3)),
  ];
}

interface Moment {
  state: SessionState;
  now: number;
  place: number;
  random: RandomSource;
}

function decide(deed: Deed, { state, now, place, random }: Moment): Decision<SessionState, unknown, SessionEffect> {
  // News and commands are mostly of the present turn, and sometimes of one that is over or never was.
  const turnId = state.turn && !random.oneIn(10) ? state.turn.id : `turn-${random.below(place)}`;
  const nextTurnId = `turn-${place}`;
  switch (deed) {
    case "send": {
      const command = sendCommand({ messageId: `message-${place}`, turnId: nextTurnId });
      const author = random.pick([member(), member("usr_bob"), cron]);
      const runningTurnWasStopped = random.oneIn(20);
      return send(state, { ...command, author }, sendFacts({ runningTurnWasStopped }), now);
    }
    case "started":
      return turnStarted(state, { turnId, generation: 1 + random.below(3) }, now);
    case "ended":
      return endTurn(state, { turnId, end: random.pick(ends), nextTurnId }, now);
    case "cancel":
      return cancelTurn(state, { turnId, nextTurnId }, now);
    case "stop-overdue":
      return stopOverdue(state, { nextTurnId }, now);
    case "watch": {
      const sandbox = random.pick(sights);
      const lastSignAt = random.oneIn(2) ? now - random.below(2 * turnSilenceMs) : null;
      const seen = { id: turnId, status: state.turn?.status ?? "pending" };
      return watchTurn(state, { seen, signs: { sandbox, lastSignAt }, nextTurnId }, now);
    }
    case "resume":
      return resumeUpNext(state, { turnId: nextTurnId }, now);
  }
}
