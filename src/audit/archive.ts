// The days of the audit log that are in storage. A day of a workspace has parts, each of them one
// object with some of its events, one a line, oldest first. So no day needs more memory than a
// Worker has. An earlier version stored a day, or the start of it, as one object.
import { type DeletedPerson, deletePersonFromJson } from "../deletion/rules/person.ts";
import type { Env } from "../env.ts";
import type { AuditDay } from "./queries.ts";
import type { AuditEvent } from "./rules/event.ts";

/** A part has the events of a day from its first one up to the first one of the next part. */
export interface AuditPart extends AuditDay {
  firstId: string;
}

/** An object with events. That of an earlier version has no first id, because it is the oldest. */
export interface StoredPart {
  key: string;
  firstId: string;
}

type Store = Pick<Env, "STORE">;

const getPartsFolder = ({ workspaceId, day }: AuditDay) => `audit/${workspaceId}/${day}/`;
const getPartKey = (part: AuditPart) => `${getPartsFolder(part)}${part.firstId}.ndjson`;

/** Lists the stored parts of a day, oldest first. */
export async function listAuditParts({ STORE }: Store, day: AuditDay): Promise<StoredPart[]> {
  const folder = getPartsFolder(day);
  const parts: StoredPart[] = [];
  for (let cursor: string | undefined; ; ) {
    // Keys are in order, and `.` is before `/`, so that an object of an earlier version is first.
    const page = await STORE.list({ prefix: folder.slice(0, -1), ...(cursor && { cursor }) });
    for (const { key } of page.objects)
      parts.push({ key, firstId: key.startsWith(folder) ? key.slice(folder.length, -".ndjson".length) : "" });
    if (!page.truncated) return parts;
    cursor = page.cursor;
  }
}

/** Reads the events of a part, oldest first. */
export async function readAuditPart({ STORE }: Store, { key }: Pick<StoredPart, "key">): Promise<AuditEvent[]> {
  const stored = await STORE.get(key);
  const lines = stored === null ? [] : (await stored.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}

/** The version of a part; null if it is not stored. */
export async function findPartVersion({ STORE }: Store, part: AuditPart): Promise<string | null> {
  return (await STORE.head(getPartKey(part)))?.etag ?? null;
}

/** Stores a part. False, with nothing changed, if its version is another one than `version`. */
export async function writeAuditPart(
  { STORE }: Store,
  part: AuditPart,
  events: readonly AuditEvent[],
  version: string | null,
): Promise<boolean> {
  const onlyIf = version === null ? new Headers({ "if-none-match": "*" }) : { etagMatches: version };
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  return (await STORE.put(getPartKey(part), lines.join(""), { onlyIf })) !== null;
}

/**
 * Replaces what names a deleted person in the events of a day. Returns how many parts it has.
 * Idempotent.
 */
export async function deletePersonFromDay(env: Store, day: AuditDay, person: DeletedPerson): Promise<number> {
  const parts = await listAuditParts(env, day);
  for (const { key } of parts) await deletePersonFromPart(env, key, person);
  return parts.length;
}

async function deletePersonFromPart({ STORE }: Store, key: string, person: DeletedPerson): Promise<void> {
  const stored = await STORE.get(key);
  if (stored === null) return;
  const text = await stored.text();
  const lines = text
    .split("\n")
    .map((line) => (line === "" ? "" : JSON.stringify(deletePersonFromJson(JSON.parse(line), person))));
  const forgotten = lines.join("\n");
  // If the sweep has written the part meanwhile, this fails, and the page is repeated.
  if (forgotten === text) return;
  const put = await STORE.put(key, forgotten, { onlyIf: { etagMatches: stored.etag } });
  if (put === null) throw new Error("The day of the audit log changed meanwhile.");
}

/** Deletes a stored day. */
export async function deleteAuditDay(env: Store, day: AuditDay): Promise<void> {
  const keys = (await listAuditParts(env, day)).map(({ key }) => key);
  for (let at = 0; at < keys.length; at += keysPerDelete) await env.STORE.delete(keys.slice(at, at + keysPerDelete));
}

/** The storage deletes at most so many objects in one call. */
const keysPerDelete = 1_000;
