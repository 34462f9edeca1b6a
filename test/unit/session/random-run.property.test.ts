import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { isUnfinished, type Turn } from "../../../src/chat/rules/turn.ts";
import type { SessionEffect } from "../../../src/rules/effect.ts";
import { queueSize } from "../../../src/rules/limits.ts";
import { flatRandomRun } from "../../support/session-run.ts";

const runs = Array.from({ length: 120 }, (_, index) => flatRandomRun(index + 1, 250));
type Step = ReturnType<typeof flatRandomRun>[number];

/** Checks an invariant at every step of every run; its memory is reset for each run. */
function everyStep<Memory>(begin: () => Memory, check: (step: Step, memory: Memory) => void) {
  for (const run of runs) {
    const memory = begin();
    for (const step of run) check(step, memory);
  }
}

/**
 * The check of `toEqual`; in hundreds of thousands of calls, a plain comparison is many times as
 * fast.
 */
function same(actual: unknown, expected: unknown, where: string) {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, where).toEqual(expected);
}

function has(effects: SessionEffect[], wanted: object, where: string) {
  if (!effects.some((effect) => isDeepStrictEqual(effect, wanted))) expect(effects, where).toContainEqual(wanted);
}

const eachStep = (check: (step: Step) => void) => everyStep(() => null, check);
const startedTurn = ({ before, after }: Step) => (after.turn?.id !== before.turn?.id ? after.turn : null);
const ids = (messages: { id: string }[]) => messages.map(({ id }) => id);

describe("in any order of events", () => {
  it("there are never two unfinished turns, not even between the writes of one decision", () => {
    const turns = () => new Map<string, Turn>();
    everyStep(turns, ({ where, before, after }, kept) => {
      for (const turn of [after.endedTurn, after.turn]) {
        if (turn === null || turn === before.turn) continue;
        kept.set(turn.id, turn);
        const unfinished = [...kept.values()].filter(isUnfinished);
        same(unfinished.length <= 1, true, where);
      }
    });
  });

  it("no accepted message is lost or duplicated: each is in the conversation once, queued, with the turn, or deleted", () => {
    const begin = () => ({ accepted: [] as string[], gone: [] as string[] });
    everyStep(begin, ({ where, action, refused, messageId, after }, { accepted, gone }) => {
      if (action === "send" && refused === null) accepted.push(messageId);
      if (action === "delete" && refused === null) gone.push(messageId);
      gone.push(...ids(after.newMessages));
      const steered = after.steers.map(({ message }) => message.id);
      same([...gone, ...steered, ...ids(after.upNext)].sort(), [...accepted].sort(), where);
    });
  });

  it("queued messages keep their order: a new one is added at the end, and only a move changes positions", () => {
    eachStep(({ where, action, messageId, before, after }) => {
      const stayed = (from: Step["before"], other: Step["before"]) =>
        ids(from.upNext).filter((id) => ids(other.upNext).includes(id) && !(action === "move" && id === messageId));
      same(stayed(after, before), stayed(before, after), where);
      const added = ids(after.upNext).filter((id) => !ids(before.upNext).includes(id));
      if (action === "send") same(ids(after.upNext).slice(before.upNext.length), added, where);
    });
  });

  it("an ended turn is followed by the top message, even if that is a returned steer", () => {
    eachStep(({ where, before, after }) => {
      if (after.endedTurn === null) return;
      const order = [...before.steers.map(({ message }) => message.id), ...ids(before.upNext)];
      same([...ids(after.newMessages), ...ids(after.upNext)], order, where);
      same(after.steers, [], where);
    });
  });

  it("a message is added as it was when it left, and only an edit changes a queued one", () => {
    eachStep(({ where, action, refused, messageId, before, after }) => {
      const stood = new Map(
        [...before.steers.map(({ message }) => message), ...before.upNext].map((one) => [one.id, one]),
      );
      for (const { id, content, author } of after.newMessages) {
        const left = stood.get(id);
        if (left) same([content, author], [left.content, left.author], where);
      }
      for (const message of [...after.steers.map((steer) => steer.message), ...after.upNext]) {
        const earlier = stood.get(message.id);
        if (earlier === undefined || (action === "edit" && message.id === messageId)) continue;
        same([message.content, message.version], [earlier.content, earlier.version], where);
      }
      const edited = after.upNext.find(({ id }) => action === "edit" && refused === null && id === messageId);
      if (edited) same(edited.version, (stood.get(messageId)?.version ?? 0) + 1, where);
    });
  });

  it("a steer belongs to the running turn of its sender, and is added to the conversation when it is taken", () => {
    eachStep(({ where, action, before, after }) => {
      for (const { turnId, message } of after.steers)
        same([turnId, message.author], [unfinishedId(after.turn), after.turn?.sender], where);
      const spokenAsSteer = after.newMessages.filter(({ delivery }) => delivery === "steer");
      for (const { turnId } of spokenAsSteer) same(turnId, before.turn?.id, where);
      if (action !== "steer-taken") same(spokenAsSteer, [], where);
      else same(before.steers.length - after.steers.length, spokenAsSteer.length, where);
    });
  });

  it("at most 20 messages are queued, including steers, and only a full queue refuses one", () => {
    eachStep(({ where, before, after, refused }) => {
      same(after.upNext.length + after.steers.length <= queueSize, true, where);
      if (refused === "QUEUE_FULL") same(before.upNext.length + before.steers.length, queueSize, where);
    });
  });

  it("a pause ends with a resume, with a send that starts a turn, or with a message that ends the review", () => {
    eachStep((step) => {
      if (step.before.pause === null || step.after.pause !== null) return;
      if (step.action === "resume") return;
      expect(["send", "send-now"], step.where).toContain(step.action);
      const isReviewOver = step.before.session.status === "under-review" && step.before.pause.reason === "under_review";
      if (isReviewOver && isUnfinished(step.before.turn)) return same(step.after.session.status, "active", step.where);
      expect(startedTurn(step)?.status, step.where).toBe("pending");
    });
  });

  it("a pause starts with a stop request, with any end except a completed one, and with a move to Under Review", () => {
    eachStep(({ where, action, before, after, now, refused }) => {
      const wasStopping = isUnfinished(before.turn) && before.turn.stopRequestedAt !== null;
      if (action === "review" && refused === null && before.session.status === "active") {
        same(after.pause, before.pause ?? { reason: "under_review", pausedAt: now }, where);
        return;
      }
      if (action === "cancel" && refused === null) {
        same(after.pause, (wasStopping && before.pause) || { reason: "cancelled", pausedAt: now }, where);
        return;
      }
      const status = after.endedTurn?.status ?? "completed";
      if (status === "completed") same(after.pause && before.pause, after.pause, where);
      else if (wasStopping) same(after.pause, before.pause, where);
      else same(after.pause, { reason: status, pausedAt: now }, where);
    });
  });

  it("no message is queued without a running turn, unless the queue is paused", () => {
    eachStep(({ where, after }) => {
      if (after.upNext.length > 0 && !isUnfinished(after.turn)) same(after.pause === null, false, where);
    });
  });

  it("a turn starts from one message, with the next number, and with its watchdog set before the sandbox is called", () => {
    eachStep((step) => {
      const { where, before, after, now, effects } = step;
      const turn = startedTurn(step);
      const openings = after.newMessages.filter(({ delivery }) => delivery === "job");
      const opened = openings.map(({ turnId }) => turnId);
      same(opened, turn ? [turn.id] : [], where);
      const starts = effects.filter((effect) => effect.type === "start-turn");
      if (turn === null) {
        // A turn that has not started may be handed over again by its watchdog.
        const again = step.action === "watch" && after.turn?.status === "pending" ? [after.turn.id] : [];
        for (const { id } of starts) expect(again, where).toContain(id);
        return;
      }
      same(starts, [{ type: "start-turn", id: turn.id }], where);
      same(turn.number, (before.turn?.number ?? 0) + 1, where);
      const order = effects.map((effect) => ("name" in effect ? `${effect.type} ${effect.name}` : effect.type));
      same(order.indexOf("remind watch-turn") > order.lastIndexOf("forget watch-turn"), true, where);
      same(order.indexOf("start-turn") > order.indexOf("remind watch-turn"), true, where);
      for (const effect of effects) if (effect.type === "remind") same(effect.at > now, true, where);
    });
  });

  it("an ended turn releases its sandbox, and no longer changes", () => {
    const turns = () => new Map<string, Turn>();
    everyStep(turns, ({ where, before, after, now, effects }, ended) => {
      const end = after.endedTurn;
      same(end === null, !isUnfinished(before.turn) || before.turn.id === unfinishedId(after.turn), where);
      if (end !== null) {
        same(ended.has(end.id), false, where);
        same(end.completedAt, now, where);
        has(effects, { type: "release-sandbox", id: end.id }, where);
        ended.set(end.id, end);
      }
      if (after.turn && !isUnfinished(after.turn)) same(ended.get(after.turn.id), after.turn, where);
    });
  });

  it("an unfinished turn has a watchdog, an unconfirmed stop has a deadline, and nothing else has one", () => {
    const reminders = () => new Set<string>();
    everyStep(reminders, ({ where, action, after, effects }, set) => {
      // The reminder that fired is used up.
      if (action === "watch") set.delete("watch-turn");
      if (action === "stop-overdue") set.delete("stop-overdue");
      for (const effect of effects) {
        if (effect.type === "remind") set.add(effect.name);
        if (effect.type === "forget") set.delete(effect.name);
      }
      const isWatched = isUnfinished(after.turn);
      const isStopping = isUnfinished(after.turn) && after.turn.stopRequestedAt !== null;
      same([set.has("watch-turn"), set.has("stop-overdue")], [isWatched, isStopping], where);
    });
  });

  it("a stop is sent to the sandbox, and a turn with a stop request ends as cancelled only", () => {
    eachStep(({ where, action, before, after, effects, refused }) => {
      const wasStopping = isUnfinished(before.turn) && before.turn.stopRequestedAt !== null;
      if (action === "cancel" && refused === null && !wasStopping)
        has(effects, { type: "stop-turn", id: before.turn?.id }, where);
      if (wasStopping && after.endedTurn) same(after.endedTurn.status, "cancelled", where);
    });
  });

  it("a turn that the service ends is also stopped in its sandbox, or its sandbox is discarded", () => {
    eachStep(({ where, action, after, effects }) => {
      const end = after.endedTurn;
      const stop = { type: "stop-turn", id: end?.id };
      const discard = { type: "discard-sandbox", id: end?.generation };
      if (end && action === "watch") has(effects, stop, where);
      if (end && action === "stop-overdue") has(effects, discard, where);
    });
  });

  it("every change that lists show is written for them", () => {
    eachStep(({ where, before, after, effects }) => {
      for (const turn of [after.endedTurn, after.turn]) {
        if (turn === null || (turn.id === before.turn?.id && turn.status === before.turn.status)) continue;
        has(effects, { type: "index-turn", id: turn.id }, where);
        has(effects, { type: "index-session" }, where);
      }
      if (after.upNext.length !== before.upNext.length || after.pause !== before.pause)
        has(effects, { type: "index-session" }, where);
    });
  });
});

describe("these runs", () => {
  const met = new Map<string, number>();
  eachStep((step) => {
    const { action, refused, result, after } = step;
    const kind = refused ?? after.endedTurn?.status ?? (isQueued(result) ? "queued" : "other");
    const what = `${action}: ${kind}${startedTurn(step) ? ", then a turn" : ""}`;
    met.set(what, (met.get(what) ?? 0) + 1);
  });

  it.each([
    "send: other, then a turn",
    "send: queued",
    "send: QUEUE_FULL",
    "send: JOB_STOPPED",
    "send: SESSION_UNDER_REVIEW",
    "started: other",
    "ended: completed",
    "ended: completed, then a turn",
    "ended: awaiting_response",
    "ended: failed",
    "ended: cancelled",
    "ended: other",
    "cancel: cancelled",
    "cancel: other",
    "cancel: BAD_REQUEST",
    "stop-overdue: cancelled",
    "stop-overdue: other",
    "watch: failed",
    "watch: cancelled",
    "watch: other",
    "resume: other",
    "resume: other, then a turn",
    "edit: other",
    "edit: FORBIDDEN",
    "edit: QUEUED_MESSAGE_GONE",
    "edit: NOT_FOUND",
    "delete: other",
    "delete: FORBIDDEN",
    "move: other",
    "move: FORBIDDEN",
    "move: BAD_REQUEST",
    "send-now: other, then a turn",
    "send-now: JOB_IN_PROGRESS",
    "send-now: FORBIDDEN",
    "steer: other",
    "steer: FORBIDDEN",
    "steer: STEER_UNAVAILABLE",
    "steer: JOB_STOPPED_TEXT_RETURNED",
    "steer-taken: other",
    "review: other",
    "reopen: other",
    "resume: SESSION_UNDER_REVIEW",
    "clear: other",
    "clear: JOB_ACTIVE",
  ])("contain %s", (what) => {
    expect(met.get(what) ?? 0).toBeGreaterThan(10);
  });
});

function isQueued(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "delivery" in answer && answer.delivery === "queued";
}

function unfinishedId(turn: Turn | null): string | null {
  return isUnfinished(turn) ? turn.id : null;
}
