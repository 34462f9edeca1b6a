// The sweep of lost alarms. The platform gives an alarm up that failed six times, and what the object had yet to do would wait for ever. So each
// object is woken once a day, and sets a lost alarm again. What cannot wait for a day has a sweep of its own: turns, Deploys, crons, sandboxes.
import { codeHostInboxObject, cronObject, projectObject, sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { roundBehind, roundNow } from "../rules/sweep-round.ts";
import { type ArmedRow, type ArmedTable, armedRows } from "../storage/queries/armed-objects.ts";
import { keepRound, readRound } from "../storage/queries/sweep-marks.ts";
import { settleSweeps } from "./sweeps.ts";

/** Of each table a minute: 288,000 a day. A larger table takes longer than a day. */
const rowsPerSweep = 200;
/** What a session has yet to do follows its last change within days. Older ones sleep on. */
const restsAfterMs = 30 * 24 * 60 * 60_000;

type PokingEnv = Pick<Env, "DB" | "SESSION" | "PROJECT" | "CRON" | "CODE_HOST_INBOX">;

/** Wakes the objects of the next rows of each table. Idempotent. */
export async function sweepLostAlarms(env: PokingEnv, now: number): Promise<void> {
  await settleSweeps({
    "alarms of sessions": sweepTable(env, "sessions", now, ({ id, updatedAt }) =>
      now - updatedAt < restsAfterMs ? [sessionObject(env, id).poke()] : [],
    ),
    "alarms of projects": sweepTable(env, "projects", now, ({ id, repositoryId }) => [
      projectObject(env, id).poke(),
      ...(repositoryId === null ? [] : [codeHostInboxObject(env, repositoryId).poke()]),
    ]),
    "alarms of crons": sweepTable(env, "crons", now, ({ id }) => [cronObject(env, id).poke()]),
  });
}

async function sweepTable(
  env: PokingEnv,
  table: ArmedTable,
  now: number,
  poke: (row: ArmedRow) => Promise<void>[],
): Promise<void> {
  const mark = `lost alarms of ${table}`;
  const round = roundNow(await readRound(env.DB, mark), now);
  if (round === null) return;
  const rows = await armedRows(env.DB, table, round.cursor, rowsPerSweep);
  const pokes = rows.flatMap((row) => poke(row).map((poked, place) => [`${table} ${row.id} ${place}`, poked] as const));
  await settleSweeps(Object.fromEntries(pokes));
  const ids = rows.map(({ id }) => id);
  await keepRound(env.DB, mark, roundBehind(round, ids, rowsPerSweep));
}
