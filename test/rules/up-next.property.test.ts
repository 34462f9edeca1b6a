import { describe, expect, it } from "vitest";
import { upNextSize } from "../../src/rules/limits.ts";
import { isUnfinished, type Turn } from "../../src/rules/turn.ts";
import { leadLife, type Step } from "../support/session-life.ts";

const lives = Array.from({ length: 80 }, (_, index) => leadLife(index + 1, 250));

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

  it("nothing accepted is lost or doubled: each message is spoken once or waits", () => {
    const begin = () => ({ accepted: [] as string[], spoken: [] as string[] });
    everyStep(begin, ({ where, refused, messageId, after }, memory) => {
      if (messageId !== null && refused === null) memory.accepted.push(messageId);
      memory.spoken.push(...ids(after.spoken));
      expect([...memory.spoken, ...ids(after.upNext)].sort(), where).toEqual([...memory.accepted].sort());
    });
  });

  it("messages that wait leave in the order in which they came", () => {
    const begin = () => ({ came: [] as string[], left: [] as string[] });
    everyStep(begin, ({ where, answer, messageId, after }, { came, left }) => {
      if (messageId !== null && isQueued(answer)) came.push(messageId);
      left.push(...ids(after.spoken).filter((id) => came.includes(id)));
      expect([...left, ...ids(after.upNext)], where).toEqual(came);
    });
  });

  it("never more than 20 messages wait, and only a full Up next refuses one for that", () => {
    eachStep(({ where, before, after, refused }) => {
      expect(after.upNext.length, where).toBeLessThanOrEqual(upNextSize);
      if (refused === "QUEUE_FULL") expect(before.upNext.length, where).toBe(upNextSize);
    });
  });

  it("a pause ends by a resume, or by a send that starts a turn", () => {
    eachStep((step) => {
      if (step.before.pause === null || step.after.pause !== null) return;
      if (step.deed !== "resume")
        expect([step.deed, startedTurn(step)?.status], step.where).toEqual(["send", "pending"]);
    });
  });

  it("a pause comes with every end but a completed one, for that reason", () => {
    eachStep(({ where, before, after, now }) => {
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
      expect(
        after.spoken.map(({ turnId }) => turnId),
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
      if (after.upNext !== before.upNext || after.pause !== before.pause)
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
