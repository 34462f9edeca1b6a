// The sweeps of lost alarms. The platform drops an alarm that failed six times, so the object's
// remaining work would wait forever. Therefore each object is woken once a day and sets a lost
// alarm again. Work that cannot wait for a day has its own sweep: turns, Deploys, crons, sandboxes.
import {
  getCronObject,
  getProjectObject,
  getSessionObject,
  getWebhookInboxObject,
  getWebhookObject,
} from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { readRound, saveRound } from "./marks.ts";
import { findCurrentRound, getRoundAfter } from "./rules/round.ts";
import { type Sweep, wakeEach } from "./sweep.ts";

/** A row has up to two objects. */
const rowsPerPage = 20;
/**
 * Pages of each table per minute, which gives 288,000 rows a day. A larger table takes longer than
 * a day.
 */
const pages = 10;
/**
 * A session finishes its remaining work within days of its last change. Older sessions are not
 * woken.
 */
const restsAfterMs = 30 * 24 * 60 * 60_000;

type WakingEnv = Pick<Env, "DB" | "SESSION" | "PROJECT" | "CRON" | "WEBHOOK_INBOX" | "WEBHOOK" | "JURISDICTION">;

/** Wakes the objects of the next rows of a table. Idempotent. */
export function sweepLostAlarms(table: ArmedTable): Sweep<WakingEnv> {
  return async (env, { now, after }) => {
    const mark = `lost alarms of ${table}`;
    const round = findCurrentRound(await readRound(env.DB, mark), now);
    if (round === null) return null;
    const rows = await armedRows(env.DB, table, round.cursor, rowsPerPage);
    await wakeEach(
      rows,
      ({ id }) => id,
      (row) => Promise.all(wake[table](env, row, now)),
    );
    const ids = rows.map(({ id }) => id);
    const next = getRoundAfter(round, ids, rowsPerPage);
    await saveRound(env.DB, mark, next);
    const page = Number(after) + 1;
    return next.cursor !== null && page < pages ? String(page) : null;
  };
}

const wake: Record<ArmedTable, (env: WakingEnv, row: ArmedRow, now: number) => Promise<void>[]> = {
  sessions: (env, { id, updatedAt }, now) => (now - updatedAt < restsAfterMs ? [getSessionObject(env, id).wake()] : []),
  projects: (env, { id, repositoryId }) => [
    getProjectObject(env, id).wake(),
    ...(repositoryId === null ? [] : [getWebhookInboxObject(env, repositoryId).wake()]),
  ],
  crons: (env, { id }) => [getCronObject(env, id).wake()],
  webhooks: (env, { id }) => [getWebhookObject(env, id).wake()],
};

/** A row whose objects are woken. */
export interface ArmedRow {
  id: string;
  updatedAt: number;
  /** For a project: the code host's id of its repository, whose inbox is also an object. */
  repositoryId: number | null;
}

const tables = {
  sessions: "SELECT id, updated_at AS updatedAt, NULL AS repositoryId FROM sessions",
  projects: "SELECT id, updated_at AS updatedAt, repository_id AS repositoryId FROM projects",
  crons: "SELECT id, updated_at AS updatedAt, NULL AS repositoryId FROM crons",
  webhooks: "SELECT id, updated_at AS updatedAt, NULL AS repositoryId FROM webhooks",
} as const;

/**
 * The objects that may have set an alarm, by the table that lists them. Each page continues along
 * the primary key after an id.
 */
export type ArmedTable = keyof typeof tables;

/** Returns the next rows of a table after an id, in id order. */
async function armedRows(database: D1Database, table: ArmedTable, behind: string, limit: number): Promise<ArmedRow[]> {
  const { results } = await database
    .prepare(`${tables[table]} WHERE id > ?1 ORDER BY id LIMIT ?2`)
    .bind(behind, limit)
    .all<ArmedRow>();
  return results;
}
