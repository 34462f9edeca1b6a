// The context of a cron object: what its calls work with.
import migrations from "../../migrations/cron/migrations.js";
import type { CronRow } from "../../src/cron/queries/crons.ts";
import { type CronDecision, type CronState, noCron } from "../../src/cron/rules/cron.ts";
import type { Env } from "../../src/env.ts";
import type { CronEffect } from "../../src/rules/effect.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import { createWaiters, type Waiters } from "../chat/waiters.ts";
import { type Answers, openAnswers } from "../object/answers.ts";
import { openDatabase } from "../object/database.ts";
import { createKeyedLock, type KeyedLock } from "../object/keyed-lock.ts";
import { openParking } from "../object/parking.ts";
import { createShell, type Shell } from "../object/shell.ts";
import { type CronStore, openCronStore } from "./context-store.ts";
import { performCronEffect } from "./effects.ts";
import { fireByAlarm } from "./fire.ts";

export interface CronContext {
  env: Env;
  store: CronStore;
  shell: Shell<CronState | null, CronEffect>;
  answers: Answers;
  /** Calls that wait for a run to open. */
  opened: Waiters;
  /** The cron as lists showed it when this object last wrote it; null until it has. */
  shown: { row: CronRow | null };
  /** Runs work under one key one at a time. Writes of the index are one such work, so that none overtakes a newer one. */
  withLock: KeyedLock;
  /** Lets a rule decide on a cron that exists. */
  decide<Answer>(rule: (state: CronState, now: number) => CronDecision<Answer>): Answer | Refusal;
}

/** Opens the context of an object. */
export function openCronContext(ctx: DurableObjectState, env: Env): CronContext {
  const db = openDatabase(ctx, migrations);
  const store = openCronStore(db);
  const shell: CronContext["shell"] = createShell<CronState | null, CronEffect>(ctx, db, {
    load: store.find,
    save: (_, after) => store.save(after),
    perform: (effect) => performCronEffect(context, effect),
    parking: openParking(ctx, env, "cron"),
    remind: () => fireByAlarm(context),
  });
  const context: CronContext = {
    env,
    store,
    shell,
    answers: openAnswers(db),
    opened: createWaiters(),
    shown: { row: null },
    withLock: createKeyedLock(),
    decide: (rule) => shell.decide((state, now) => (state ? rule(state, now) : noCron)),
  };
  void ctx.blockConcurrencyWhile(() => shell.resume());
  return context;
}
