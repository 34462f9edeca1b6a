// Moves old events of the audit log to storage, a day of a workspace at a time, and deletes days
// that are too old.
import type { Env } from "../env.ts";
import type { SweepPlace } from "../sweeps/sweep.ts";
import { deleteAuditDays, writeAuditDay } from "./archive.ts";
import {
  deleteAuditDayStatement,
  findOldestAuditEvent,
  listAuditEvents,
  listExpiredAuditDays,
  recordAuditDay,
} from "./queries.ts";
import { getArchiveBoundary, getDay, getDayStart, getFirstDayKept } from "./rules/retention.ts";

/** A page moves so many events, and deletes so many days, at most. */
const eventsPerPage = 2_000;
const daysPerPage = 50;
const dayMs = 24 * 60 * 60 * 1_000;
/** Sorts after every id. */
const lastId = "g";

/** Works through one page: one day of one workspace, or the days that are too old. */
export async function sweepAudit(
  env: Pick<Env, "DB" | "STORE">,
  { now }: Pick<SweepPlace, "now">,
): Promise<string | null> {
  const oldest = await findOldestAuditEvent(env.DB, getArchiveBoundary(now));
  if (oldest !== null) {
    const day = { workspaceId: oldest.workspaceId, day: getDay(oldest.at) };
    const since = getDayStart(day.day);
    const range = { workspaceId: oldest.workspaceId, since, until: since + dayMs, before: lastId };
    // The oldest first: a page ends with what is in the database, and continues with older events.
    const events = await listAuditEvents(env.DB, range, eventsPerPage, "oldest");
    await writeAuditDay(env, day, events);
    await recordAuditDay(
      env.DB,
      day,
      events.map(({ id }) => id),
    );
    return day.day;
  }
  const expired = await listExpiredAuditDays(env.DB, getFirstDayKept(now), daysPerPage);
  if (expired.length === 0) return null;
  await deleteAuditDays(env, expired);
  await env.DB.batch(expired.map((day) => deleteAuditDayStatement(env.DB, day)));
  return expired.length < daysPerPage ? null : "expired";
}
