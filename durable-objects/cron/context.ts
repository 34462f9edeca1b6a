// The context of a cron object: what its calls work with.

import { eq, lt } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import migrations from "../../migrations/cron/migrations.js";
import type { Actor } from "../../src/access/rules/actor.ts";
import type { CronRow } from "../../src/cron/queries/crons.ts";
import { type CronChange, toCronActionEvent } from "../../src/cron/rules/activity-events.ts";
import { type CronDecision, type CronState, noCron } from "../../src/cron/rules/cron.ts";
import type { FiredRun } from "../../src/cron/rules/run-status.ts";
import type { Env } from "../../src/env.ts";
import { createId } from "../../src/lib/ids.ts";
import type { CronEffect } from "../../src/rules/effect.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { toCronWebhookEvent } from "../../src/webhook/rules/cron-events.ts";
import { getDatabase } from "../object/database.ts";
import { createIdempotentResults, createOnce, type Once } from "../object/idempotent-results.ts";
import { createKeyedLock, createWaiters, type KeyedLock, type Waiters } from "../object/keyed-lock.ts";
import { createParking } from "../object/parking.ts";
import { createShell, type Shell } from "../object/shell.ts";
import { performCronEffect } from "./effects.ts";
import { fireByAlarm } from "./fire.ts";
import { cron, firedSlots } from "./tables.ts";

export interface CronContext {
  env: Env;
  store: CronStore;
  shell: Shell<CronState | null, CronEffect>;
  once: Once;
  /** Calls that wait for a run to open. */
  opened: Waiters;
  /** The cron as lists showed it when this object last wrote it; null before the first write. */
  shown: { row: CronRow | null };
  /**
   * Runs work under one key one at a time. Writes of the index share one key, so that an older
   * write never overtakes a newer one.
   */
  withLock: KeyedLock;
  /** Lets a rule decide on an existing cron. */
  decide<Result>(rule: (state: CronState, now: number) => CronDecision<Result>): Result | Refusal;
}

/** Creates the context of an object. */
export function createCronContext(ctx: DurableObjectState, env: Env): CronContext {
  const db = getDatabase(ctx, migrations);
  const store = createCronStore(db);
  const shell: CronContext["shell"] = createShell<CronState | null, CronEffect>(ctx, db, {
    load: store.find,
    save: (_, after) => store.save(after),
    perform: (effect) => performCronEffect(context, effect),
    parking: createParking(ctx, env, "cron"),
    remind: () => fireByAlarm(context),
  });
  const context: CronContext = {
    env,
    store,
    shell,
    once: createOnce(createIdempotentResults(db)),
    opened: createWaiters(),
    shown: { row: null },
    withLock: createKeyedLock(),
    decide: (rule) => shell.decide((state, now) => (state ? rule(state, now) : noCron)),
  };
  void ctx.blockConcurrencyWhile(() => shell.resume());
  return context;
}

/** The storage of a cron: its state in one row, and the slots that it fired. */
export interface CronStore {
  /** Null before the cron is created, and after it is deleted. */
  find(): CronState | null;
  /** Deletes the cron if `after` is null. */
  save(after: CronState | null): void;
  /** The runs of a fired slot; null for any other slot. */
  fired(slot: number): FiredRun[] | null;
  recordFired(slot: number, runs: FiredRun[]): void;
}

/** Longer than a missed slot is still considered. */
const rememberedMs = 48 * 3_600_000;

/** Creates the storage of a cron. */
function createCronStore(db: DrizzleSqliteDODatabase): CronStore {
  return {
    find: () => db.select().from(cron).get()?.state ?? null,
    save(after) {
      if (after === null) {
        db.delete(cron).run();
        db.delete(firedSlots).run();
        return;
      }
      const row = { id: after.cron.id, state: after };
      db.insert(cron).values(row).onConflictDoUpdate({ target: cron.id, set: row }).run();
    },
    fired: (slot) => db.select().from(firedSlots).where(eq(firedSlots.slot, slot)).get()?.runs ?? null,
    recordFired(slot, runs) {
      db.delete(firedSlots)
        .where(lt(firedSlots.slot, Date.now() - rememberedMs))
        .run();
      db.insert(firedSlots).values({ slot, runs }).onConflictDoNothing().run();
    },
  };
}

/**
 * Adds the Member Action to a decision on a cron, and the event for webhooks, to be recorded with
 * the change. A change that changes nothing is not an action.
 */
export function withMemberAction(
  decision: CronDecision<null>,
  before: CronState | null,
  change: CronChange,
  by: Actor,
): CronDecision<null> {
  if (isRefusal(decision) || decision.state === before) return decision;
  const { cron } = decision.state ?? before ?? {};
  if (!cron) return decision;
  const now = Date.now();
  const id = createId(now);
  const event = toCronActionEvent(id, cron, change, by);
  const sent = [toCronWebhookEvent(id, cron, change, by, now)];
  const recording = { type: "record-events" as const, id, events: event ? [event] : [], sent };
  return { ...decision, effects: [...decision.effects, recording] };
}
