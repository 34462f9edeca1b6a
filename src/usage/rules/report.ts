// A usage report: the usage of a workspace within a time range, in groups (decisions, "Usage").
import { type Actor, findOwner, findUser } from "../../access/rules/actor.ts";
import { parseTime } from "../../rules/moment.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

export const usageGroupings = ["session", "member", "project", "cron", "model"] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

/** In milliseconds since 1970. */
export interface UsageRange {
  from: number;
  /** Not included. */
  to: number;
}

const dayMs = 86_400_000;
const dateAlone = /^\d{4}-\d\d-\d\d$/;

/**
 * The time range of a request, by default from the start of this UTC month until now. A date means
 * a whole UTC day, which `to` includes.
 */
export function parseRange(
  asked: { from?: string | undefined; to?: string | undefined },
  now: number,
): UsageRange | Refusal {
  const today = new Date(now);
  const month = Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
  const from = asked.from === undefined ? month : parseTime(asked.from);
  const until = asked.to === undefined ? now + 1 : parseTime(asked.to);
  if (from === null || until === null) {
    return refuse("BAD_REQUEST", "from and to are dates or times, such as 2026-01-31 or 2026-01-31T12:00:00Z.");
  }
  const to = asked.to !== undefined && dateAlone.test(asked.to) ? until + dayMs : until;
  return from < to ? { from, to } : refuse("BAD_REQUEST", "from has to be before to.");
}

/**
 * Whose usage a caller may see: null for everybody's, which owners and admins see; otherwise the id
 * of a member, their own.
 */
export function findUsageViewer(actor: Actor): string | null | Refusal {
  if (findUser(actor) === null || !("role" in actor)) return refuse("FORBIDDEN");
  if (actor.role === "owner" || actor.role === "admin") return null;
  return findOwner(actor)?.id ?? refuse("FORBIDDEN", "This cron run cannot read usage. An owner or admin can.");
}
