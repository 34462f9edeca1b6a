// The days of the audit log that are in storage: one object for each day of a workspace, with one
// event a line, oldest first.
import { type DeletedPerson, deletePersonFromJson } from "../deletion/rules/person.ts";
import type { Env } from "../env.ts";
import type { AuditEvent } from "./rules/event.ts";

const getDayKey = (workspaceId: string, day: string) => `audit/${workspaceId}/${day}.ndjson`;

/** Reads the events of a day, oldest first. Empty if it is not stored. */
export async function readAuditDay(
  { STORE }: Pick<Env, "STORE">,
  workspaceId: string,
  day: string,
): Promise<AuditEvent[]> {
  const stored = await STORE.get(getDayKey(workspaceId, day));
  const lines = stored === null ? [] : (await stored.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}

/** Adds events to a day. Safe to repeat: an event that is there stays as it is. */
export async function writeAuditDay(
  env: Pick<Env, "STORE">,
  { workspaceId, day }: { workspaceId: string; day: string },
  events: readonly AuditEvent[],
): Promise<void> {
  const before = await readAuditDay(env, workspaceId, day);
  const known = new Set(before.map(({ id }) => id));
  const all = [...before, ...events.filter(({ id }) => !known.has(id))];
  all.sort((one, other) => (one.id < other.id ? -1 : 1));
  const lines = all.map((event) => `${JSON.stringify(event)}\n`);
  await env.STORE.put(getDayKey(workspaceId, day), lines.join(""));
}

/** Replaces what names a deleted person in the events of a day. Idempotent. */
export async function deletePersonFromDay(
  env: Pick<Env, "STORE">,
  { workspaceId, day }: { workspaceId: string; day: string },
  person: DeletedPerson,
): Promise<void> {
  const stored = await env.STORE.get(getDayKey(workspaceId, day));
  if (stored === null) return;
  const text = await stored.text();
  const lines = text
    .split("\n")
    .map((line) => (line === "" ? "" : JSON.stringify(deletePersonFromJson(JSON.parse(line), person))));
  const forgotten = lines.join("\n");
  // If the sweep has added events meanwhile, this fails, and the page is repeated.
  if (forgotten === text) return;
  const put = await env.STORE.put(getDayKey(workspaceId, day), forgotten, { onlyIf: { etagMatches: stored.etag } });
  if (put === null) throw new Error("The day of the audit log changed meanwhile.");
}

/** Deletes stored days. */
export async function deleteAuditDays(
  { STORE }: Pick<Env, "STORE">,
  days: readonly { workspaceId: string; day: string }[],
): Promise<void> {
  if (days.length > 0) await STORE.delete(days.map(({ workspaceId, day }) => getDayKey(workspaceId, day)));
}
