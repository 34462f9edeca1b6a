// Concurrent writes use one round trip, and each of them still succeeds or fails by itself.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { withCombinedWrites } from "../../../src/storage/combined-database.ts";

let sent: number[];
let database: D1Database;

beforeEach(async () => {
  sent = [];
  await env.DB.prepare("CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY) STRICT").run();
  await env.DB.prepare("DELETE FROM notes").run();
  const counted = new Proxy(env.DB, {
    get(target, name) {
      if (name !== "batch") return Reflect.get(target, name).bind(target);
      return (statements: D1PreparedStatement[]) => {
        sent.push(statements.length);
        return target.batch(statements);
      };
    },
  });
  database = withCombinedWrites(counted);
});

const note = (id: string) => database.prepare("INSERT INTO notes (id) VALUES (?1)").bind(id);
const notes = async () =>
  (await database.prepare("SELECT id FROM notes ORDER BY rowid").all<{ id: string }>()).results.map(({ id }) => id);

test("are sent together, in their order, and each gets its own results", async () => {
  const [one, [two, read]] = await Promise.all([
    note("a").run(),
    database.batch([note("b"), database.prepare("SELECT count(*) AS notes FROM notes")]),
    note("c").run(),
  ]);
  expect([one.meta.changes, two?.meta.changes, read?.results]).toEqual([1, 1, [{ notes: 2 }]]);
  expect([sent, await notes()]).toEqual([[4], ["a", "b", "c"]]);
});

test("those of another request that had to hash something first are included", async () => {
  const later = async () => {
    await crypto.subtle.digest("SHA-256", new Uint8Array(32));
    for (let step = 0; step < 20; step++) await null;
    await note("b").run();
  };
  await Promise.all([later(), note("a").run()]);
  expect([sent, await notes()]).toEqual([[2], ["a", "b"]]);
});

test("only the failing one fails, and a batch as a whole", async () => {
  const settled = await Promise.allSettled([
    note("a").run(),
    database.batch([note("b"), note("a")]),
    note("c").run(),
    note("a").run(),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
  expect(await notes()).toEqual(["a", "c"]);
});

test("many are sent in parts, and none is split", async () => {
  const runBatch = (from: number) => database.batch(Array.from({ length: 15 }, (_, place) => note(`${from + place}`)));
  await Promise.all([0, 15, 30, 45].map(runBatch));
  expect(sent).toEqual([30, 30]);
  expect((await notes()).length).toBe(60);
});
