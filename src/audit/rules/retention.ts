// How long the audit log keeps an event, and where. Days are of UTC.
import { auditDays, auditDaysInDatabase } from "../../rules/limits.ts";

const dayMs = 24 * 60 * 60 * 1_000;

/** The day of a time, such as `2026-01-31`. */
export function getDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** When a day begins, in milliseconds since the epoch. */
export function getDayStart(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** Events before this time move from the database to storage, by whole days. */
export function getArchiveBoundary(now: number): number {
  return getDayStart(getDay(now - auditDaysInDatabase * dayMs));
}

/** Days before this one are deleted. */
export function getFirstDayKept(now: number): string {
  return getDay(now - auditDays * dayMs);
}

/**
 * The parts of a day, oldest first, that may have events before an id and not before a time. A part
 * ends where the next one begins.
 */
export function listPartsOfRange<Part extends { firstId: string }>(
  parts: readonly Part[],
  { before, since }: { before: string; since: number },
): Part[] {
  const first = getFirstIdAt(since);
  return parts.filter(({ firstId }, place) => {
    const next = parts[place + 1];
    return firstId < before && (next === undefined || next.firstId > first);
  });
}

/** The id that sorts before every event of this time and later. */
export function getFirstIdAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
