// The shell of an object: it loads the state, lets a rule decide, saves state and effects in one transaction, answers, and then performs the
// effects. There is no `await` between load and save, so decisions never interleave.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { reasonOf } from "../../src/error-text.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { Reminder } from "../../src/rules/effect.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { openOutbox } from "./outbox.ts";
import { openReminders } from "./reminders.ts";

type ReminderEffect = Reminder<string>;
type NameOf<Effect> = Extract<Effect, { type: "remind" }> extends { name: infer Name } ? Name : never;

export interface ShellParts<State, Effect extends { type: string }> {
  load(): State;
  /** Runs inside the transaction; `before` is what `load` gave. */
  save(before: State, after: State): void;
  /** Called after the transaction of a decision. */
  onCommitted?(): void;
  /** Called when the transaction of a decision failed: nothing that `save` wrote in it is stored. */
  onRolledBack?(): void;
  /** Performs one effect, perhaps more than once. If it throws, it is tried again later. */
  perform(effect: Exclude<Effect, ReminderEffect>): Promise<void>;
  /** Handles a reminder that is due. If it throws, it is reminded again soon. */
  remind(name: NameOf<Effect>): Promise<void>;
}

export interface Shell<State, Effect> {
  /** Lets a rule decide on the present state. A refusal changes nothing. */
  decide<Answer>(rule: (state: State, now: number) => Decision<State, Answer, Effect>): Answer | Refusal;
  /** Waits until the effect of this key is done or has failed once. Retries are not waited for. */
  settled(key: string): Promise<void>;
  /** Performs the effects that were left when the object last stopped. */
  resume(): void;
  /** To be called from the object's `alarm`. It never throws, because the platform gives up an alarm that keeps throwing. */
  alarm(): Promise<void>;
  /** Makes a reminder due by a time. One that is due earlier stays. */
  remindBy(name: string, at: number): void;
  /** Sets the alarm again if it was lost. Without it, reminders and effects would wait for ever. */
  rearm(): Promise<void>;
}

/** Builds the shell of an object around its parts. */
export function createShell<State, Effect extends { type: string }>(
  ctx: DurableObjectState,
  db: DrizzleSqliteDODatabase,
  parts: ShellParts<State, Effect>,
): Shell<State, Effect> {
  const reminders = openReminders(ctx.storage, db);
  const outbox = openOutbox(db);
  const inFlight = new Map<string, Promise<void>>();

  function transaction<Result>(work: () => Result): Result {
    try {
      return ctx.storage.transactionSync(work);
    } catch (error) {
      parts.onRolledBack?.();
      throw error;
    }
  }

  function keep(effect: Effect | ReminderEffect, now: number): string | null {
    if (!isReminder(effect)) return outbox.keep(effect, now);
    if (effect.type === "remind") reminders.set(effect.name, effect.at);
    else reminders.forget(effect.name);
    return null;
  }

  function start(key: string): void {
    if (inFlight.has(key)) return;
    const done = performUntilDone(key);
    inFlight.set(key, done);
    ctx.waitUntil(done);
  }

  /** Performs the effect under a key, then any newer one that replaced it meanwhile. A failed one waits for the alarm. */
  async function performUntilDone(key: string): Promise<void> {
    // The caller gets its answer before any effect runs.
    await scheduler.wait(0);
    try {
      for (let stored = outbox.find(key); stored !== null; stored = outbox.find(key)) {
        try {
          // Only `keep` puts effects there, so each is one of this object.
          await parts.perform(stored.effect as Exclude<Effect, ReminderEffect>);
          outbox.done(stored);
        } catch (error) {
          console.error("effect failed", key, stored.attempts + 1, reasonOf(error));
          outbox.postpone(stored, Date.now());
          break;
        }
      }
    } finally {
      // There is no `await` since the last read of the outbox, so an effect that is stored after this starts a run of its own.
      inFlight.delete(key);
    }
    reminders.arm();
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
        for (const effect of decision.effects) {
          const key = keep(effect, now);
          if (key !== null) toPerform.push(key);
        }
        return decision;
      });
      if (isRefusal(decision)) return decision;
      parts.onCommitted?.();
      if (decision.effects.length > 0) reminders.arm();
      for (const key of toPerform) start(key);
      return decision.answer;
    },
    async settled(key) {
      await inFlight.get(key);
    },
    resume() {
      for (const key of outbox.keys()) start(key);
    },
    async alarm() {
      const now = Date.now();
      await reminders.fireDue(now, (name) => parts.remind(name as NameOf<Effect>));
      for (const key of outbox.takeDue(now)) start(key);
      reminders.arm();
    },
    remindBy(name, at) {
      reminders.setBy(name, at);
      reminders.arm();
    },
    rearm: reminders.rearm,
  };
}

function isReminder(effect: { type: string }): effect is ReminderEffect {
  return effect.type === "remind" || effect.type === "forget";
}
