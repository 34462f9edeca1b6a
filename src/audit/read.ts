// Reads a page of the audit log: from the database, then from the days in storage.
import type { Env } from "../env.ts";
import { getIdTime } from "../lib/ids.ts";
import { listAuditParts, readAuditPart } from "./archive.ts";
import { type AuditRange, listAuditDays, listAuditEvents } from "./queries.ts";
import type { AuditEvent } from "./rules/event.ts";
import { getDay, getDayStart, getFirstIdAt, listPartsOfRange } from "./rules/retention.ts";

/**
 * So many stored days are read for a page, so that its cost is bounded in a quiet time, too. Of a
 * busy day, only the parts up to the end of the page are read.
 */
const daysPerPage = 10;

export interface AuditPage {
  events: AuditEvent[];
  /** Where the next page begins; null if there is none. */
  before: string | null;
}

/** Reads the newest events of a range. */
export async function readAuditLog(
  env: Pick<Env, "DB" | "STORE">,
  range: AuditRange,
  pageSize: number,
): Promise<AuditPage> {
  const events = await listAuditEvents(env.DB, range, pageSize + 1);
  if (events.length > pageSize) return cutPage(events, pageSize);
  const last = getDay(Math.min(range.until - 1, getIdTime(range.before)));
  const bounds = { workspaceId: range.workspaceId, first: getDay(range.since), last };
  const days = await listAuditDays(env.DB, bounds, daysPerPage + 1);
  for (const day of days.slice(0, daysPerPage)) {
    const parts = await listAuditParts(env, { workspaceId: range.workspaceId, day });
    for (const part of listPartsOfRange(parts, range).reverse()) {
      const stored = await readAuditPart(env, part);
      // While the sweep moves events, they are in both places.
      const known = new Set(events.map(({ id }) => id));
      const fitting = stored.filter(
        ({ id, at }) => id < range.before && at >= range.since && at < range.until && !known.has(id),
      );
      events.push(...fitting.reverse());
      if (events.length > pageSize) return cutPage(events, pageSize);
    }
  }
  const next = days[daysPerPage - 1];
  return { events, before: days.length > daysPerPage && next ? getFirstIdAt(getDayStart(next)) : null };
}

function cutPage(events: AuditEvent[], pageSize: number): AuditPage {
  const page = events.slice(0, pageSize);
  return { events: page, before: page.at(-1)?.id ?? null };
}
