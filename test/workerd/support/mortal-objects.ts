// The objects of crons and runs, which die right after one of their writes when a test says so: a
// commit of their storage, or a batch of the database. Nothing after that write happens.
import { CronObject as ProductCronObject } from "../../../durable-objects/cron/cron.ts";
import { CronRunObject as ProductCronRunObject } from "../../../durable-objects/cron-run/cron-run.ts";
import type { Env } from "../../../src/env.ts";

interface Watch {
  /** Each write so far. */
  writes: string[];
  /** The index of the write after which its object dies. */
  deadlyAt: number;
}

let watch: Watch | null = null;

/**
 * Records the writes of these objects from now on. An object dies after the write at an index,
 * counted from 0.
 */
export function dieBehind(deadlyAt: number): Watch {
  watch = { writes: [], deadlyAt };
  return watch;
}

/** Kills no object any longer. */
export function liveOn(): void {
  watch = null;
}

function note(ctx: DurableObjectState, what: string): void {
  if (watch === null) return;
  watch.writes.push(what);
  if (watch.writes.length - 1 === watch.deadlyAt) ctx.abort(`told to die behind ${what}`);
}

/** Text of a statement of the test itself, whose write is none of the object's. */
export const byTest = "/* by the test */";

/**
 * Records the commits of an object. Everything that is written without an `await` between is one.
 */
function watchStorage(ctx: DurableObjectState, name: string): void {
  const { storage } = ctx;
  /** Calls that may have written since the last commit. */
  let open: { rowsWritten: number }[] = [];
  const written = (by: { rowsWritten: number }) => {
    if (watch === null || open.push(by) > 1) return;
    const committed = () => {
      const isWritten = open.some(({ rowsWritten }) => rowsWritten > 0);
      open = [];
      if (isWritten) note(ctx, `a commit of ${name}`);
    };
    // Fails if the object has died meanwhile.
    storage.sync().then(committed, () => undefined);
  };
  const exec = storage.sql.exec;
  storage.sql.exec = ((statement: string, ...values: unknown[]) => {
    const cursor = exec.call(storage.sql, statement, ...values);
    if (!/^\s*select/i.test(statement) && !statement.startsWith(byTest)) written(cursor);
    return cursor;
  }) as typeof exec;
  const put = storage.kv.put;
  storage.kv.put = (key: string, value: unknown) => {
    put.call(storage.kv, key, value);
    written({ rowsWritten: 1 });
  };
}

function watchDatabase(ctx: DurableObjectState, database: D1Database, name: string): D1Database {
  return new Proxy(database, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (property !== "batch") return typeof member === "function" ? member.bind(target) : member;
      return async (statements: D1PreparedStatement[]) => {
        const results = await target.batch(statements);
        note(ctx, `a batch of ${name}`);
        return results;
      };
    },
  });
}

/** What crons call instead of the objects of runs, if a test has very many. */
let standIn: ((runId: string) => object) | null = null;

/** Makes crons call other objects instead of those of runs; null for their own again. */
export function standInForRuns(reach: ((runId: string) => object) | null): void {
  standIn = reach;
}

function mortal(ctx: DurableObjectState, env: Env, name: string): Env {
  watchStorage(ctx, name);
  const CRON_RUN = { getByName: (runId: string) => standIn?.(runId) ?? env.CRON_RUN.getByName(runId) };
  return { ...env, CRON_RUN: CRON_RUN as Env["CRON_RUN"], DB: watchDatabase(ctx, env.DB, name) };
}

export class CronObject extends ProductCronObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, mortal(ctx, env, "the cron"));
  }
}

export class CronRunObject extends ProductCronRunObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, mortal(ctx, env, "the run"));
  }
}
