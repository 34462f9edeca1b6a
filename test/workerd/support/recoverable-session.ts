// The session object with a point-in-time recovery, which workerd lacks: a bookmark is a copy of
// the storage, and a restore writes the copy back when the object starts again. Only objects whose
// state a test has recorded have it.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { SessionObject as ProductSessionObject } from "../../../durable-objects/session/session.ts";
import type { Env } from "../../../src/env.ts";
import { getEffectKey } from "../../../src/rules/effect.ts";

type Row = Record<string, SqlStorageValue>;
interface Saved {
  bookmark: string;
  at: number;
  tables: [table: string, rows: Row[]][];
  pairs: [key: string, value: unknown][];
}

const histories = new Map<string, Saved[]>();
/** The state of an object's next start. */
const next = new Map<string, Saved>();
/** Objects whose restart does not restore them. */
const broken = new Set<string>();

/** Records the present state of a session, and returns a time at which it had this state. */
export async function recordState(sessionId: string): Promise<number> {
  const stub = env.SESSION.getByName(sessionId);
  await runInDurableObject(stub, (_, { storage }) => void copy(String(stub.id), storage));
  const at = Date.now();
  await scheduler.wait(2);
  return at;
}

/**
 * Stores effects in the newest recorded state of a session, as if it had died before they were
 * done.
 */
export function addEffects(sessionId: string, effects: { type: string; id?: string | number }[]): void {
  const saved = histories.get(String(env.SESSION.idFromName(sessionId)))?.at(-1);
  const [, stored] = saved?.tables.find(([table]) => table === "effects") ?? [];
  for (const effect of effects) {
    const row = { key: getEffectKey(effect), effect: JSON.stringify(effect), ticket: 100 + (stored?.length ?? 0) };
    stored?.push({ ...row, attempts: 0, due_at: 0 });
  }
}

/** Makes the next restarts of a session ignore the recovery that was asked for. */
export function breakRecovery(sessionId: string, isBroken: boolean): void {
  const id = String(env.SESSION.idFromName(sessionId));
  if (isBroken) broken.add(id);
  else broken.delete(id);
}

function listTables({ sql }: DurableObjectStorage): string[] {
  return sql
    .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .toArray()
    .flatMap(({ name }) => (/^(_cf_|sqlite_)/.test(name) ? [] : [name]));
}

function copy(id: string, storage: DurableObjectStorage): Saved {
  const history = histories.get(id) ?? [];
  const saved: Saved = {
    bookmark: `bookmark ${history.length}`,
    at: Date.now(),
    tables: listTables(storage).map((table) => [table, storage.sql.exec<Row>(`SELECT * FROM "${table}"`).toArray()]),
    pairs: [...storage.kv.list()],
  };
  histories.set(id, [...history, saved]);
  return saved;
}

function writeBack(storage: DurableObjectStorage, { tables, pairs }: Saved): void {
  storage.transactionSync(() => {
    for (const [table, rows] of tables) {
      storage.sql.exec(`DELETE FROM "${table}"`);
      for (const row of rows) {
        const names = Object.keys(row).join(", ");
        const places = Object.keys(row).map(() => "?");
        storage.sql.exec(`INSERT INTO "${table}" (${names}) VALUES (${places.join(", ")})`, ...Object.values(row));
      }
    }
  });
  for (const [key] of [...storage.kv.list()]) storage.kv.delete(key);
  for (const [key, value] of pairs) storage.kv.put(key, value);
}

/** Gives an object with a history the calls of the platform's recovery. */
function addRecovery({ id, storage }: DurableObjectState): void {
  const key = String(id);
  const start = next.get(key);
  next.delete(key);
  if (start && !broken.has(key)) writeBack(storage, start);
  const find = (isWanted: (saved: Saved) => boolean) => {
    const found = histories.get(key)?.findLast(isWanted);
    if (!found) throw new Error("There is no such bookmark.");
    return found;
  };
  const missing = storage.getBookmarkForTime.bind(storage);
  storage.getBookmarkForTime = async (time) =>
    histories.has(key) ? find(({ at }) => at <= Number(time)).bookmark : await missing(time);
  storage.onNextSessionRestoreBookmark = async (bookmark) => {
    next.set(
      key,
      find((saved) => saved.bookmark === bookmark),
    );
    return copy(key, storage).bookmark;
  };
}

export class SessionObject extends ProductSessionObject {
  constructor(ctx: DurableObjectState, bindings: Env) {
    addRecovery(ctx);
    super(ctx, bindings);
  }
}
