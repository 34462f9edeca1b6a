// Moves old events of the audit log to storage, a part of a day of a workspace at a time, and
// deletes days that are too old.
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import type { SweepPlace } from "../sweeps/sweep.ts";
import { type AuditPart, deleteAuditDay, findPartVersion, writeAuditPart } from "./archive.ts";
import {
  deleteAuditDayStatement,
  findOldestAuditEvent,
  listEventsToArchive,
  listExpiredAuditDays,
  recordAuditPart,
} from "./queries.ts";
import { getArchiveBoundary, getDay, getDayStart, getFirstDayKept } from "./rules/retention.ts";

/** A part has so many events. Their texts are sent back to the database, in one value of 2 MB. */
const eventsPerPart = 500;
/** A page deletes so many days, each with a list and a deletion of its objects. */
const daysPerPage = 20;
/** After so many failures the storage is not to be reached, and the round ends. */
const failuresPerRound = 10;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Works through one page: one part of one day, and some days that are too old. Its place has the
 * workspaces of which a part was not moved, which are left to the next round.
 */
export async function sweepAudit(env: Pick<Env, "DB" | "STORE">, { now, after }: SweepPlace): Promise<string | null> {
  const failed = after.split(" ").filter((id) => id !== "");
  const oldest =
    failed.length < failuresPerRound ? await findOldestAuditEvent(env.DB, getArchiveBoundary(now), failed) : null;
  if (oldest !== null) {
    const { workspaceId, id: firstId, at } = oldest;
    const day = getDay(at);
    try {
      if (!(await archivePart(env, { workspaceId, day, firstId }))) failed.push(workspaceId);
    } catch (error) {
      log.warn("audit.day_not_archived", { workspaceId, day, error });
      failed.push(workspaceId);
    }
  }
  const expired = await listExpiredAuditDays(env.DB, getFirstDayKept(now), daysPerPage);
  for (const day of expired) await deleteAuditDay(env, day);
  if (expired.length > 0) await env.DB.batch(expired.map((day) => deleteAuditDayStatement(env.DB, day)));
  return oldest === null && expired.length < daysPerPage ? null : failed.join(" ");
}

/**
 * Moves the oldest events of a day. If something changes meanwhile, they stay in the database, and
 * it returns false. The next round writes the part again: a deleted person must not come back.
 */
async function archivePart(env: Pick<Env, "DB" | "STORE">, part: AuditPart): Promise<boolean> {
  // The version is read before the events, so that no part is replaced by an older state of them.
  const version = await findPartVersion(env, part);
  // The oldest first: a page of the log ends with what is in the database, and continues with
  // older events.
  const until = getDayStart(part.day) + dayMs;
  const rows = await listEventsToArchive(env.DB, { ...part, until }, eventsPerPart);
  if (rows[0]?.event.id !== part.firstId) return false;
  const events = rows.map(({ event }) => event);
  return (await writeAuditPart(env, part, events, version)) && (await recordAuditPart(env.DB, part, rows));
}
