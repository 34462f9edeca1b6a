import { describe, expect, it } from "vitest";
import { upNextSize } from "../../src/rules/limits.ts";
import { isUnfinished, type Turn } from "../../src/rules/turn.ts";
import { leadLife, type Step } from "../support/session-life.ts";

const lives = Array.from({ length: 120 }, (_, index) => leadLife(index + 1, 250));

/** Holds a promise against every step of every life; what it remembers begins anew with each life. */
function everyStep<Memory>(begin: () => Memory, check: (step: Step, memory: Memory) => void) {
  for (const life of lives) {
    const memory = begin();
    for (const step of life) check(step, memory);
  }
}

const eachStep = (check: (step: Step) => void) => everyStep(() => null, check);
const startedTurn = ({ before, after }: Step) => (after.turn?.id !== before.turn?.id ? after.turn : null);
const ids = (messages: { id: string }[]) => messages.map(({ id }) => id);

describe("whatever comes, in whatever order", () => {
  it("there are never two unfinished turns, not even between the writes of one decision", () => {
    const turns = () => new Map<string, Turn>();
    everyStep(turns, ({ where, before, after }, kept) => {
      for (const turn of [after.endedTurn, after.turn]) {
        if (turn === null || turn === before.turn) continue;
        kept.set(turn.id, turn);
        const unfinished = [...kept.values()].filter(isUnfinished);
        expect(unfinished.length, where).toBeLessThanOrEqual(1);
      }
    });
  });

  it("nothing accepted is lost or doubled: each message is spoken once, waits, is with the turn, or was deleted by hand", () => {
    const begin = () => ({ accepted: [] as string[], gone: [] as string[] });
    everyStep(begin, ({ where, deed, refused, messageId, after }, { accepted, gone }) => {
      if (deed === "send" && refused === null) accepted.push(messageId);
      if (deed === "delete" && refused === null) gone.push(messageId);
      gone.push(...ids(after.spoken));
      const steered = after.steers.map(({ message }) => message.id);
      expect([...gone, ...steered, ...ids(after.upNext)].sort(), where).toEqual([...accepted].sort());
    });
  });

  it("what waits keeps its order: a new message goes to the end, and only a move changes places", () => {
    eachStep(({ where, deed, messageId, before, after }) => {
      const stayed = (from: Step["before"], other: Step["before"]) =>
        ids(from.upNext).filter((id) => ids(other.upNext).includes(id) && !(deed === "move" && id === messageId));
      expect(stayed(after, before), where).toEqual(stayed(before, after));
      const added = ids(after.upNext).filter((id) => !ids(before.upNext).includes(id));
      if (deed === "send")
        expect(ids(after.upNext).slice(-added.length || undefined), where).toEqual(
          added.length > 0 ? added : ids(after.upNext),
        );
    });
  });

  it("the top goes first: of what waits, a turn that ends takes the top, also when that is a steer which came back", () => {
    eachStep(({ where, before, after }) => {
      if (after.endedTurn === null) return;
      const order = [...before.steers.map(({ message }) => message.id), ...ids(before.upNext)];
      expect([...ids(after.spoken), ...ids(after.upNext)], where).toEqual(order);
      expect(after.steers, where).toEqual([]);
    });
  });

  it("a steer is with the turn that runs, and is spoken as a steer once it is taken", () => {
    eachStep(({ where, deed, before, after }) => {
      for (const { turnId } of after.steers) expect(turnId, where).toBe(unfinishedId(after.turn));
      const spokenAsSteer = after.spoken.filter(({ delivery }) => delivery === "steer");
      if (deed !== "steer-taken") expect(spokenAsSteer, where).toEqual([]);
      else expect(before.steers.length - after.steers.length, where).toBe(spokenAsSteer.length);
    });
  });

  it("never more than 20 messages wait, those with the turn counted, and only a full Up next refuses one for that", () => {
    eachStep(({ where, before, after, refused }) => {
      expect(after.upNext.length + after.steers.length, where).toBeLessThanOrEqual(upNextSize);
      if (refused === "QUEUE_FULL") expect(before.upNext.length + before.steers.length, where).toBe(upNextSize);
    });
  });

  it("a pause ends by a resume, or by a send that starts a turn", () => {
    eachStep((step) => {
      if (step.before.pause === null || step.after.pause !== null) return;
      if (step.deed === "resume") return;
      expect(["send", "send-now"], step.where).toContain(step.deed);
      expect(startedTurn(step)?.status, step.where).toBe("pending");
    });
  });

  it("a pause comes with every end but a completed one and with a move to Under Review, for that reason", () => {
    eachStep(({ where, deed, before, after, now, refused }) => {
      if (deed === "review" && refused === null && before.session.status === "active") {
        expect(after.pause, where).toEqual(before.pause ?? { reason: "under_review", pausedAt: now });
        return;
      }
      const status = after.endedTurn?.status ?? "completed";
      if (status === "completed") expect(after.pause && before.pause, where).toBe(after.pause);
      else expect(after.pause, where).toEqual({ reason: status, pausedAt: now });
    });
  });

  it("nothing waits while nothing runs, unless Up next is paused", () => {
    eachStep(({ where, after }) => {
      if (after.upNext.length > 0 && !isUnfinished(after.turn)) expect(after.pause, where).not.toBeNull();
    });
  });

  it("a turn starts from one message, with the next number, and with its watchdog set before the sandbox is asked", () => {
    eachStep((step) => {
      const { where, before, after, now, effects } = step;
      const turn = startedTurn(step);
      const openings = after.spoken.filter(({ delivery }) => delivery === "job");
      expect(
        openings.map(({ turnId }) => turnId),
        where,
      ).toEqual(turn ? [turn.id] : []);
      const starts = effects.filter((effect) => effect.do === "start-turn");
      if (turn === null) {
        // One that has not begun may be handed over again when it is looked at.
        const again = step.deed === "watch" && after.turn?.status === "pending" ? [after.turn.id] : [];
        for (const { turnId } of starts) expect(again, where).toContain(turnId);
        return;
      }
      expect(starts, where).toEqual([{ do: "start-turn", turnId: turn.id }]);
      expect(turn.number, where).toBe((before.turn?.number ?? 0) + 1);
      const order = effects.map((effect) => ("name" in effect ? `${effect.do} ${effect.name}` : effect.do));
      expect(order.indexOf("remind watch-turn"), where).toBeGreaterThan(order.lastIndexOf("forget watch-turn"));
      expect(order.indexOf("start-turn"), where).toBeGreaterThan(order.indexOf("remind watch-turn"));
      for (const effect of effects) if (effect.do === "remind") expect(effect.at, where).toBeGreaterThan(now);
    });
  });

  it("a turn that ended frees its sandbox, and stays as it ended", () => {
    const turns = () => new Map<string, Turn>();
    everyStep(turns, ({ where, before, after, now, effects }, ended) => {
      const end = after.endedTurn;
      expect(end === null, where).toBe(!isUnfinished(before.turn) || before.turn.id === unfinishedId(after.turn));
      if (end !== null) {
        expect(ended.has(end.id), where).toBe(false);
        expect(end.completedAt, where).toBe(now);
        expect(effects, where).toContainEqual({ do: "release-sandbox", turnId: end.id });
        ended.set(end.id, end);
      }
      if (after.turn && !isUnfinished(after.turn)) expect(ended.get(after.turn.id), where).toEqual(after.turn);
    });
  });

  it("an unfinished turn is watched, a stop that is not confirmed has a deadline, and nothing else has one", () => {
    const reminders = () => new Set<string>();
    everyStep(reminders, ({ where, deed, after, effects }, set) => {
      // The reminder that fired is used up.
      if (deed === "watch") set.delete("watch-turn");
      if (deed === "stop-overdue") set.delete("stop-overdue");
      for (const effect of effects) {
        if (effect.do === "remind") set.add(effect.name);
        if (effect.do === "forget") set.delete(effect.name);
      }
      const isWatched = isUnfinished(after.turn);
      const isStopping = isUnfinished(after.turn) && after.turn.stopRequestedAt !== null;
      expect([set.has("watch-turn"), set.has("stop-overdue")], where).toEqual([isWatched, isStopping]);
    });
  });

  it("a stop reaches the sandbox, and a turn that was asked to stop ends as cancelled and nothing else", () => {
    eachStep(({ where, deed, before, after, effects, refused }) => {
      const wasStopping = isUnfinished(before.turn) && before.turn.stopRequestedAt !== null;
      if (deed === "cancel" && refused === null && !wasStopping)
        expect(effects, where).toContainEqual({ do: "stop-turn", turnId: before.turn?.id });
      if (wasStopping && after.endedTurn) expect(after.endedTurn.status, where).toBe("cancelled");
    });
  });

  it("a turn that the service ends over the sandbox's head is stopped there, or its sandbox discarded", () => {
    eachStep(({ where, deed, after, effects }) => {
      const end = after.endedTurn;
      const stop = { do: "stop-turn", turnId: end?.id };
      const discard = { do: "discard-sandbox", generation: end?.generation };
      if (end && deed === "watch") expect(effects, where).toContainEqual(stop);
      if (end && deed === "stop-overdue") expect(effects, where).toContainEqual(discard);
    });
  });

  it("whatever lists show of it is written for them", () => {
    eachStep(({ where, before, after, effects }) => {
      for (const turn of [after.endedTurn, after.turn]) {
        if (turn === null || (turn.id === before.turn?.id && turn.status === before.turn.status)) continue;
        expect(effects, where).toContainEqual({ do: "project-turn", turnId: turn.id });
        expect(effects, where).toContainEqual({ do: "project-session" });
      }
      if (after.upNext.length !== before.upNext.length || after.pause !== before.pause)
        expect(effects, where).toContainEqual({ do: "project-session" });
    });
  });
});

describe("these lives", () => {
  const met = new Map<string, number>();
  eachStep((step) => {
    const { deed, refused, answer, after } = step;
    const kind = refused ?? after.endedTurn?.status ?? (isQueued(answer) ? "queued" : "other");
    const what = `${deed}: ${kind}${startedTurn(step) ? ", then a turn" : ""}`;
    met.set(what, (met.get(what) ?? 0) + 1);
  });

  it.each([
    "send: other, then a turn",
    "send: queued",
    "send: QUEUE_FULL",
    "send: JOB_STOPPED",
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
    "move: BAD_REQUEST",
    "send-now: other, then a turn",
    "send-now: JOB_IN_PROGRESS",
    "steer: other",
    "steer: FORBIDDEN",
    "steer: STEER_UNAVAILABLE",
    "steer: JOB_STOPPED_TEXT_RETURNED",
    "steer-taken: other",
    "review: other",
    "reopen: other",
    "clear: other",
    "clear: JOB_ACTIVE",
  ])("meet %s", (what) => {
    expect(met.get(what) ?? 0).toBeGreaterThan(10);
  });
});

function isQueued(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "delivery" in answer && answer.delivery === "queued";
}

function unfinishedId(turn: Turn | null): string | null {
  return isUnfinished(turn) ? turn.id : null;
}
