// The shell of an object: it loads the state, lets a rule decide, saves state and effects in one
// transaction, responds, and then performs the effects. There is no `await` between load and save,
// so decisions never interleave.
//
// Every commit is a write to disk. So finished effects are deleted together, with the next decision
// or once no more effects run, and the alarm is set once for all of them.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { getErrorMessage } from "../../src/lib/error-text.ts";
import { findRequestId, log, withRequestId } from "../../src/lib/log.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import type { Decision } from "../../src/rules/decision.ts";
import { type EffectName, getEffectKey, type Reminder } from "../../src/rules/effect.ts";
import { isParked, WaitingError } from "../../src/rules/parking.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { createOutbox, type StoredEffect } from "./outbox.ts";
import type { Parking } from "./parking.ts";
import { createReminders } from "./reminders.ts";

type ReminderEffect = Reminder<string>;
type ReminderName<Effect> = Extract<Effect, { type: "remind" }> extends { name: infer Name } ? Name : never;

// biome-ignore lint/suspicious/noConfusingVoidType: an effect that is done answers nothing.
export type Performed = void | "unfinished";

export interface ShellParts<State, Effect extends { type: string; id?: string | number }> {
  load(): State;
  /** Runs inside the transaction; `before` is the state from `load`. */
  save(before: State, after: State): void;
  /** Called after the transaction of a decision. */
  onCommitted?(): void;
  /**
   * Called when the transaction of a decision failed. Nothing that `save` wrote in it is stored.
   */
  onRolledBack?(): void;
  /**
   * Performs one effect, perhaps more than once. If it throws, it is retried later. After a
   * `WaitingError` it does not count as failed. An effect with more work than one invocation allows
   * returns "unfinished" after a page. The alarm then performs it again, in an invocation of its
   * own.
   */
  perform(effect: Exclude<Effect, ReminderEffect>): Promise<Performed>;
  /** Where an operator sees the parked effects. */
  parking: Parking;
  /** Handles a due reminder. If it throws, the reminder fires again soon. */
  remind(name: ReminderName<Effect>): Promise<void>;
}

export interface Shell<State, Effect> {
  /** Lets a rule decide on the current state. A refusal changes nothing. */
  decide<Result>(rule: (state: State, now: number) => Decision<State, Result, Effect>): Result | Refusal;
  /**
   * Performs an effect that is stored only if it fails. It is for an effect that a reminder
   * requests again if the object dies before it is done. Does nothing while an effect with its key
   * is performed.
   */
  attempt(effect: Exclude<Effect, ReminderEffect>): void;
  /**
   * Settles when the effect of this name is done or has failed once; null if it is not being
   * performed. Retries are not waited for.
   */
  settled(effect: EffectName<Exclude<Effect, ReminderEffect>>): Promise<void> | null;
  /** True if the effect of this name is stored and not done. */
  isLeft(effect: EffectName<Exclude<Effect, ReminderEffect>>): boolean;
  /**
   * Performs the effects that were left when the object last stopped. Must be awaited before the
   * first call.
   */
  resume(): Promise<void>;
  /**
   * Must be called from the object's `alarm`. It never throws, because the platform abandons an
   * alarm that throws repeatedly.
   */
  alarm(): Promise<void>;
  /** Makes a reminder due at this time at the latest. A reminder that is due earlier stays. */
  remindBy(name: string, at: number): void;
  /** Retries the parked effects now, as if they had never failed. Returns how many there are. */
  retryParked(): Promise<number>;
  /** True if effects are stored, done or not. */
  hasEffects(): boolean;
  /** Drops the stored effects of an object that was set back to an earlier time. */
  dropEffects(): void;
  /** Sets the alarm again if it was lost. Without it, reminders and effects would wait forever. */
  rearm(): Promise<void>;
}

/**
 * Effects that are performed in parallel. Each makes a few calls, and the platform limits the calls
 * of an invocation.
 */
const effectsAtOnce = 50;
/** The length limit of the reason that is listed with a parked effect. */
const parkedReasonCharacters = 1_000;

/** The longest that an alarm waits for the effects it started. It is shorter than their lease. */
const alarmWaitMs = 3_000;

/** Builds the shell of an object from its parts. */
export function createShell<State, Effect extends { type: string; id?: string | number }>(
  ctx: DurableObjectState,
  db: DrizzleSqliteDODatabase,
  parts: ShellParts<State, Effect>,
): Shell<State, Effect> {
  type Performable = Exclude<Effect, ReminderEffect>;
  const reminders = createReminders(ctx.storage, db, (reminder, error) =>
    log.warn("reminder.failed", { ...parts.parking.of, reminder, error }),
  );
  const outbox = createOutbox(db);
  const inFlight = new Map<string, Promise<void>>();
  /**
   * Effects that are done but still stored. If the object dies now, they are performed once more.
   */
  let done: StoredEffect[] = [];
  /**
   * While the alarm is handled, the platform repeats it if the object dies. So the next alarm is
   * set once, at the end.
   */
  let isInAlarm = false;
  let starting: Promise<void> | null = null;
  /** The keys under which an effect is parked, or was until a newer one replaced it. */
  const parked = new Set<string>();

  /**
   * The caller gets its response before any effect runs. Effects that start together wait once, so
   * that their writes can be sent together.
   */
  function afterResponse(): Promise<void> {
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

  function storeEffect(effect: Effect | ReminderEffect, now: number): string | null {
    if (!isReminder(effect)) return outbox.add(effect, now).key;
    if (effect.type === "remind") reminders.set(effect.name, effect.at);
    else if (effect.type === "forget") reminders.forget(effect.name);
    else reminders.forgetAll();
    return null;
  }

  /** Deletes the effects that are done. */
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
   * Starts as many effects as there is room for. The others become due now, and the alarm starts
   * them.
   */
  function startSome(keys: readonly string[]): void {
    for (const key of keys) {
      if (inFlight.size < effectsAtOnce) start(key);
      else if (!inFlight.has(key)) outbox.setDue({ key });
    }
  }

  /**
   * Performs the effect under a key, then any newer one that replaced it meanwhile. A failed effect
   * waits for the alarm.
   */
  async function performUntilDone(key: string, attempted: StoredEffect | null): Promise<void> {
    await afterResponse();
    let isLeft = false;
    try {
      for (let next = attempted ?? nextUnder(key); next !== null; next = nextUnder(key)) {
        try {
          // Only `storeEffect` and `attempt` add effects, so each effect belongs to this object.
          const { effect, requestId } = next;
          const performed = await withRequestId(requestId, () => parts.perform(effect as Performable));
          if (performed === "unfinished") {
            outbox.setDue(next === attempted ? outbox.add(attempted.effect as Performable, Date.now()) : next);
            isLeft = true;
            break;
          }
          if (next !== attempted) done.push(next);
          forgetParked(key);
        } catch (error) {
          const now = Date.now();
          const failed = next === attempted ? outbox.add(attempted.effect as Performable, now) : next;
          const isWaiting = error instanceof WaitingError;
          const attempts = outbox.postpone(failed, now, isWaiting);
          if (isWaiting) forgetParked(key);
          else withRequestId(next.requestId, () => noteFailure(failed, attempts, error));
          isLeft = true;
          break;
        }
      }
    } finally {
      // No `await` has run since the last read of the outbox, so an effect that is stored after
      // this starts its own run.
      inFlight.delete(key);
    }
    if (isLeft) reminders.arm(false);
    else if (inFlight.size === 0) ctx.waitUntil(tidyUp());
  }

  function forgetParked(key: string): void {
    if (parked.delete(key)) ctx.waitUntil(parts.parking.forget(key));
  }

  function noteFailure(failed: StoredEffect, attempts: number, error: unknown): void {
    if (isParked(attempts)) ctx.waitUntil(park(failed, attempts, error));
    else log.warn("effect.failed", { ...parts.parking.of, effect: failed.key, attempts, error });
  }

  /**
   * Logs once that an effect is parked. Its row is written with each further try, in case an
   * earlier write failed.
   */
  async function park({ key }: StoredEffect, attempts: number, error: unknown): Promise<void> {
    const reason = getErrorMessage(error).slice(0, parkedReasonCharacters);
    if (!parked.has(key)) log.error("effect.parked", { ...parts.parking.of, effect: key, attempts, error: reason });
    parked.add(key);
    await parts.parking.save(key, { attempts, reason });
  }

  /**
   * Waits first, because a response that waited for an effect would otherwise also wait for these
   * writes.
   */
  async function tidyUp(): Promise<void> {
    await afterResponse();
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
          const key = storeEffect(effect, now);
          if (key !== null) toPerform.push(key);
        }
        return decision;
      });
      if (isRefusal(decision)) return decision;
      parts.onCommitted?.();
      if (decision.effects.length > 0) done = [];
      startSome(toPerform);
      if (decision.effects.length > 0) arm();
      return decision.result;
    },
    attempt(effect) {
      const key = getEffectKey(effect);
      start(key, { key, effect, ticket: 0, attempts: 0, requestId: findRequestId() });
    },
    settled: (effect) => inFlight.get(getEffectKey(effect)) ?? null,
    isLeft: (effect) => nextUnder(getEffectKey(effect)) !== null,
    async resume() {
      await reminders.readAlarm();
      for (const key of outbox.parkedKeys()) parked.add(key);
      startSome(outbox.keys());
      if (inFlight.size >= effectsAtOnce) arm();
    },
    async retryParked() {
      const keys = outbox.unpark(Date.now());
      // Effects that were replaced or finished since are no longer listed.
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
        await reminders.fireDue(now, (name) => parts.remind(name as ReminderName<Effect>));
        for (const key of outbox.claimDue(now, effectsAtOnce - inFlight.size)) start(key);
        if (inFlight.size > 0) await waitAtMost(Promise.all(inFlight.values()), alarmWaitMs);
      } finally {
        isInAlarm = false;
      }
      if (inFlight.size === 0) removeDone();
      arm();
    },
    hasEffects: () => outbox.keys().length > 0,
    dropEffects: outbox.clear,
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
  return effect.type === "remind" || effect.type === "forget" || effect.type === "forget-all";
}
