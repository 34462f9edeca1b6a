// The shell of an object: load state, let a rule decide, save state and effects in one transaction, answer, then perform the effects.
// There is no `await` between load and save, so decisions happen one after the other, whatever else the object waits for.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { reasonOf } from "../../src/reason.ts";
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
  /** What `save` wrote is kept. */
  kept?(): void;
  /** What `save` wrote since the decision began is not kept. */
  rolledBack?(): void;
  /** Performs one effect. It may be asked twice. Throwing means: try again later. */
  perform(effect: Exclude<Effect, ReminderEffect>): Promise<void>;
  /** A reminder's time has come. Throwing means: remind again soon. */
  remind(name: NameOf<Effect>): Promise<void>;
}

export interface Shell<State, Effect> {
  /** Lets a rule decide on the present state. A refusal changes nothing. */
  decide<Answer>(rule: (state: State, now: number) => Decision<State, Answer, Effect>): Answer | Refusal;
  /** Waits until the effect of this key is done, or has failed once; later tries go on behind. */
  settled(key: string): Promise<void>;
  /** Takes up the effects that an earlier life of the object left undone. */
  resume(): void;
  /** To be called from the object's `alarm`. Never throws, so that the alarm is never given up. */
  alarm(): Promise<void>;
  /** Brings a reminder forward; one that is due earlier stays. */
  remindBy(name: string, at: number): void;
  /** Sets the alarm again where it was lost; reminders and effects would wait for it for ever. */
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
  const underWay = new Map<string, Promise<void>>();

  function transaction<Result>(work: () => Result): Result {
    try {
      return ctx.storage.transactionSync(work);
    } catch (error) {
      parts.rolledBack?.();
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
    if (underWay.has(key)) return;
    const done = performUntilDone(key);
    underWay.set(key, done);
    ctx.waitUntil(done);
  }

  /** Performs the effect under a key, and again when a newer one took its place meanwhile; a failed one waits for the alarm. */
  async function performUntilDone(key: string): Promise<void> {
    // The answer goes first.
    await scheduler.wait(0);
    try {
      for (let kept = outbox.find(key); kept !== null; kept = outbox.find(key)) {
        try {
          // Only `keep` puts effects there, so each is one of this object.
          await parts.perform(kept.effect as Exclude<Effect, ReminderEffect>);
          outbox.done(kept);
        } catch (error) {
          console.error("effect failed", key, kept.attempts + 1, reasonOf(error));
          outbox.postpone(kept, Date.now());
          break;
        }
      }
    } finally {
      // In the same stretch as the last look into the outbox: what is kept from here on is begun anew.
      underWay.delete(key);
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
      parts.kept?.();
      if (decision.effects.length > 0) reminders.arm();
      for (const key of toPerform) start(key);
      return decision.answer;
    },
    async settled(key) {
      await underWay.get(key);
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
