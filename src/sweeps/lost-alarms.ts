// The sweeps of lost alarms. The platform gives up an alarm that failed six times, and what the object had yet to do would wait for ever. So each
// object is woken once a day, and sets a lost alarm again. What cannot wait for a day has a sweep of its own: turns, Deploys, crons, sandboxes.
import { codeHostInboxObject, cronObject, projectObject, sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { type ArmedRow, type ArmedTable, armedRows } from "./lost-alarms-armed-objects.ts";
import { keepRound, readRound } from "./marks.ts";
import { roundBehind, roundNow } from "./rules/round.ts";
import { type Sweep, wakeEach } from "./sweep.ts";

/** A row has up to two objects. */
const rowsPerPage = 20;
/** Of each table a minute, which are 288,000 rows a day. A larger table takes longer than a day. */
const pages = 10;
/** What a session has yet to do follows its last change within days. Older ones sleep on. */
const restsAfterMs = 30 * 24 * 60 * 60_000;

type WakingEnv = Pick<Env, "DB" | "SESSION" | "PROJECT" | "CRON" | "CODE_HOST_INBOX">;

/** Wakes the objects of the next rows of a table. Idempotent. */
export function sweepLostAlarms(table: ArmedTable): Sweep<WakingEnv> {
  return async (env, { now, after }) => {
    const mark = `lost alarms of ${table}`;
    const round = roundNow(await readRound(env.DB, mark), now);
    if (round === null) return null;
    const rows = await armedRows(env.DB, table, round.cursor, rowsPerPage);
    await wakeEach(
      rows,
      ({ id }) => id,
      (row) => Promise.all(wake[table](env, row, now)),
    );
    const ids = rows.map(({ id }) => id);
    const next = roundBehind(round, ids, rowsPerPage);
    await keepRound(env.DB, mark, next);
    const page = Number(after) + 1;
    return next.cursor !== null && page < pages ? String(page) : null;
  };
}

const wake: Record<ArmedTable, (env: WakingEnv, row: ArmedRow, now: number) => Promise<void>[]> = {
  sessions: (env, { id, updatedAt }, now) => (now - updatedAt < restsAfterMs ? [sessionObject(env, id).poke()] : []),
  projects: (env, { id, repositoryId }) => [
    projectObject(env, id).poke(),
    ...(repositoryId === null ? [] : [codeHostInboxObject(env, repositoryId).poke()]),
  ],
  crons: (env, { id }) => [cronObject(env, id).poke()],
};
