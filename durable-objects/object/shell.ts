// The shell of an object: it loads the state, lets a rule decide, saves state and effects in one transaction, answers, and then performs the
// effects. There is no `await` between load and save, so decisions never interleave.
//
// Every commit is a write to disk. So effects that are done are removed together, with the next decision or once none is performed any more; and
// the alarm is set once for all of them.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { reasonOf } from "../../src/lib/error-text.ts";
import { within } from "../../src/lib/timeout.ts";
import type { Decision } from "../../src/rules/decision.ts";
import { effectKey, type Reminder } from "../../src/rules/effect.ts";
import { isParked } from "../../src/rules/parking.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { openOutbox, type StoredEffect } from "./outbox.ts";
import type { Parking } from "./parking.ts";
import { openReminders } from "./reminders.ts";

type ReminderEffect = Reminder<string>;
type NameOf<Effect> = Extract<Effect, { type: "remind" }> extends { name: infer Name } ? Name : never;

// biome-ignore lint/suspicious/noConfusingVoidType: an effect that is done answers nothing.
export type Performed = void | "unfinished";

export interface ShellParts<State, Effect extends { type: string }> {
  load(): State;
  /** Runs inside the transaction; `before` is what `load` gave. */
  save(before: State, after: State): void;
  /** Called after the transaction of a decision. */
  onCommitted?(): void;
  /**
   * Called when the transaction of a decision failed: nothing that `save` wrote in it is stored.
   */
  onRolledBack?(): void;
  /**
   * Performs one effect, perhaps more than once. If it throws, it is tried again later. One that
   * has more to do than one invocation may answers "unfinished" after a page: it is performed again
   * by the alarm, which is an invocation of its own.
   */
  perform(effect: Exclude<Effect, ReminderEffect>): Promise<Performed>;
  /** Where an operator sees the effects that are parked. */
  parking: Parking;
  /** Handles a reminder that is due. If it throws, it is reminded again soon. */
  remind(name: NameOf<Effect>): Promise<void>;
}

export interface Shell<State, Effect> {
  /** Lets a rule decide on the present state. A refusal changes nothing. */
  decide<Answer>(rule: (state: State, now: number) => Decision<State, Answer, Effect>): Answer | Refusal;
  /**
   * Performs an effect that is stored only if it fails: for one that a reminder asks for again,
   * should the object die before it is done. Nothing happens while one with its key is performed.
   */
  attempt(effect: Exclude<Effect, ReminderEffect>): void;
  /**
   * Settles when the effect of this key is done or has failed once; null if nothing performs it
   * now. Retries are not waited for.
   */
  settled(key: string): Promise<void> | null;
  /**
   * Performs the effects that were left when the object last stopped. To be awaited before the
   * first call.
   */
  resume(): Promise<void>;
  /**
   * To be called from the object's `alarm`. It never throws, because the platform gives up an alarm
   * that keeps throwing.
   */
  alarm(): Promise<void>;
  /** Makes a reminder due by a time. One that is due earlier stays. */
  remindBy(name: string, at: number): void;
  /**
   * Tries the parked effects again now, as if they had never failed. Answers how many there are.
   */
  retryParked(): Promise<number>;
  /** Sets the alarm again if it was lost. Without it, reminders and effects would wait for ever. */
  rearm(): Promise<void>;
}

/**
 * Effects that are performed at a time. Each makes a few calls, and an invocation may make a
 * limited number of them.
 */
const effectsAtOnce = 50;
/** Of the reason that is listed with a parked effect. */
const parkedReasonCharacters = 1_000;

/**
 * The longest wait of an alarm for the effects of what it decided. It is shorter than their lease.
 */
const alarmWaitMs = 3_000;

/** Builds the shell of an object around its parts. */
export function createShell<State, Effect extends { type: string }>(
  ctx: DurableObjectState,
  db: DrizzleSqliteDODatabase,
  parts: ShellParts<State, Effect>,
): Shell<State, Effect> {
  type Performable = Exclude<Effect, ReminderEffect>;
  const reminders = openReminders(ctx.storage, db);
  const outbox = openOutbox(db);
  const inFlight = new Map<string, Promise<void>>();
  /**
   * Effects that are done and still stored. Should the object die now, they are performed once
   * more.
   */
  let done: StoredEffect[] = [];
  /**
   * While the alarm is handled, the platform brings it again if the object dies. So it is set once,
   * in the end.
   */
  let isInAlarm = false;
  let starting: Promise<void> | null = null;
  /** The keys under which an effect is parked, or was until a newer one replaced it. */
  const parked = new Set<string>();

  /**
   * The caller gets its answer before any effect runs. Effects that start together wait once, so
   * that their writes can go out together.
   */
  function afterAnswer(): Promise<void> {
    starting ??= scheduler.wait(0).finally(() => {
      starting = null;
    });
    return starting;
  }

  function transaction<Result>(work: () => Result): Result {
    try {
      return ctx.storage.transactionSync(work);
    } catch (error) {
      parts.onRolledBack?.();
      throw error;
    }
  }

  function keep(effect: Effect | ReminderEffect, now: number): string | null {
    if (!isReminder(effect)) return outbox.keep(effect, now).key;
    if (effect.type === "remind") reminders.set(effect.name, effect.at);
    else reminders.forget(effect.name);
    return null;
  }

  /** Removes what is done, if there is any. */
  function removeDone(): void {
    outbox.remove(done);
    done = [];
  }

  function arm(): void {
    if (!isInAlarm) reminders.arm(inFlight.size > 0);
  }

  function start(key: string, attempted: StoredEffect | null = null): void {
    if (inFlight.has(key)) return;
    const performing = performUntilDone(key, attempted);
    inFlight.set(key, performing);
    ctx.waitUntil(performing);
  }

  /**
   * Starts as many as there is room for. The alarm starts the others, which are due from now on.
   */
  function startSome(keys: readonly string[]): void {
    for (const key of keys) {
      if (inFlight.size < effectsAtOnce) start(key);
      else if (!inFlight.has(key)) outbox.makeDue({ key });
    }
  }

  /**
   * Performs the effect under a key, then any newer one that replaced it meanwhile. A failed one
   * waits for the alarm.
   */
  async function performUntilDone(key: string, attempted: StoredEffect | null): Promise<void> {
    await afterAnswer();
    let isLeft = false;
    try {
      for (let next = attempted ?? nextUnder(key); next !== null; next = nextUnder(key)) {
        try {
          // Only `keep` and `attempt` put effects there, so each is one of this object.
          const performed = await parts.perform(next.effect as Performable);
          if (performed === "unfinished") {
            outbox.makeDue(next === attempted ? outbox.keep(attempted.effect as Performable, Date.now()) : next);
            isLeft = true;
            break;
          }
          if (next !== attempted) done.push(next);
          if (parked.delete(key)) ctx.waitUntil(parts.parking.forget(key));
        } catch (error) {
          const now = Date.now();
          const failed = next === attempted ? outbox.keep(attempted.effect as Performable, now) : next;
          const attempts = outbox.postpone(failed, now);
          if (isParked(attempts)) ctx.waitUntil(park(failed, attempts, error));
          else console.error("effect failed", key, attempts, reasonOf(error));
          isLeft = true;
          break;
        }
      }
    } finally {
      // There is no `await` since the last read of the outbox, so an effect that is stored after
      // this starts a run of its own.
      inFlight.delete(key);
    }
    if (isLeft) reminders.arm(false);
    else if (inFlight.size === 0) ctx.waitUntil(tidyUp());
  }

  /**
   * Logs once that an effect is parked. Its row is written with each further try, in case an
   * earlier write failed.
   */
  async function park({ key }: StoredEffect, attempts: number, error: unknown): Promise<void> {
    const reason = reasonOf(error).slice(0, parkedReasonCharacters);
    if (!parked.has(key)) console.error("effect parked", key, attempts, reason);
    parked.add(key);
    await parts.parking.keep(key, { attempts, reason });
  }

  /**
   * An answer that waited for an effect would wait for these writes, too, if they came before it.
   */
  async function tidyUp(): Promise<void> {
    await afterAnswer();
    if (inFlight.size > 0) return;
    removeDone();
    arm();
  }

  /** The effect under a key that is not done yet. */
  function nextUnder(key: string): StoredEffect | null {
    const stored = outbox.find(key);
    return stored && done.some((one) => one.key === key && one.ticket === stored.ticket) ? null : stored;
  }

  return {
    decide(rule) {
      const now = Date.now();
      const toPerform: string[] = [];
      const decision = transaction(() => {
        const before = parts.load();
        const decision = rule(before, now);
        if (isRefusal(decision)) return decision;
        if (decision.state !== before) parts.save(before, decision.state);
        if (decision.effects.length > 0) outbox.remove(done);
        for (const effect of decision.effects) {
          const key = keep(effect, now);
          if (key !== null) toPerform.push(key);
        }
        return decision;
      });
      if (isRefusal(decision)) return decision;
      parts.onCommitted?.();
      if (decision.effects.length > 0) done = [];
      startSome(toPerform);
      if (decision.effects.length > 0) arm();
      return decision.answer;
    },
    attempt(effect) {
      const key = effectKey(effect);
      start(key, { key, effect, ticket: 0, attempts: 0 });
    },
    settled: (key) => inFlight.get(key) ?? null,
    async resume() {
      await reminders.readAlarm();
      for (const key of outbox.parkedKeys()) parked.add(key);
      startSome(outbox.keys(Date.now()));
      if (inFlight.size >= effectsAtOnce) arm();
    },
    async retryParked() {
      const keys = outbox.unpark(Date.now());
      // What was replaced or is done since is no longer listed.
      parked.clear();
      await parts.parking.forgetAll();
      startSome(keys);
      arm();
      return keys.length;
    },
    async alarm() {
      const now = Date.now();
      isInAlarm = true;
      try {
        removeDone();
        await reminders.fireDue(now, (name) => parts.remind(name as NameOf<Effect>));
        for (const key of outbox.takeDue(now, effectsAtOnce - inFlight.size)) start(key);
        if (inFlight.size > 0) await within(Promise.all(inFlight.values()), alarmWaitMs);
      } finally {
        isInAlarm = false;
      }
      if (inFlight.size === 0) removeDone();
      arm();
    },
    remindBy(name, at) {
      reminders.setBy(name, at);
      arm();
    },
    async rearm() {
      await reminders.readAlarm();
      arm();
    },
  };
}

function isReminder(effect: { type: string }): effect is ReminderEffect {
  return effect.type === "remind" || effect.type === "forget";
}
