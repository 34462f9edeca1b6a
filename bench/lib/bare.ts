// Runs the bare Worker: one object that stores items of any size, and notes in D1.

import { claimFreePort } from "../../practice/free-port.ts";
import { startWorkerRuntime } from "../../practice/worker-runtime.ts";
import { createHttpClient, type Reply } from "./http-client.ts";

export interface Bare {
  post(text: string): Promise<Reply>;
  /** Returns a function that reads an item with a response of `answerBytes`. */
  createReader(answerBytes: number): Promise<() => Promise<Reply>>;
  /** Reads a page of a feed; with `mark` it also writes a row. */
  feed(mark?: "mark"): Promise<Reply>;
  notes: {
    read(id: number): Promise<Reply>;
    write(id: number, text: string): Promise<Reply>;
    list(limit?: number): Promise<Reply>;
    make(text: string): Promise<Reply>;
  };
  /** Creates a new object that stores a text, and a note about it. */
  makeObject(text: string): Promise<Reply>;
  /** Reads a page of 20 notes and the total. */
  page(): Promise<Reply>;
  /** Replaces all notes with copies of a text. */
  fillNotes(count: number, text: string): Promise<void>;
  close(): Promise<void>;
}

const shelfId = "shelf-1";
const shelfName = "A shelf";

/**
 * Starts the bare Worker. `headers` are sent with every request, so that both sides parse the same
 * headers.
 */
export async function startBare(folder: string, headers: Record<string, string>): Promise<Bare> {
  const port = await claimFreePort();
  const config = { entry: "bench/lib/bare-routes.ts", config: "bench/lib/bare-wrangler.toml" };
  const runtime = await startWorkerRuntime({ port, folder, settings: {}, inspectsObjects: true, ...config });
  await runtime.database.exec("CREATE TABLE shelves (id TEXT PRIMARY KEY, name TEXT NOT NULL)");
  await runtime.database.exec(
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, shelf_id TEXT NOT NULL, text TEXT NOT NULL)",
  );
  await runtime.database.exec("CREATE INDEX notes_by_shelf ON notes (shelf_id, id)");
  await runtime.database.prepare("INSERT INTO shelves VALUES (?1, ?2)").bind(shelfId, shelfName).run();
  for (const statement of readFeed(shelfId)) await runtime.database.prepare(statement).run();
  const client = createHttpClient(`http://localhost:${port}`, headers);
  const items = `/shelves/${shelfId}/items`;
  const notes = `/shelves/${shelfId}/notes`;
  const post = (text: string) => client.post(items, { text });
  await post("the first item makes the shelf");
  return {
    post,
    async createReader(answerBytes) {
      const envelope = JSON.stringify({ data: { item: { id: 1, text: "" }, shelf: { id: shelfId, name: shelfName } } });
      const length = Math.max(1, answerBytes - envelope.length);
      const put = `INSERT INTO items (text) VALUES (printf('%.*c', ${length}, 'x')) RETURNING id`;
      const [item] = await runtime.objectSql("ShelfObject", shelfId, put);
      return () => client.get(`${items}/${item?.id}`);
    },
    feed: (mark) => client.get(`/shelves/${shelfId}/feed${mark === undefined ? "" : "?mark"}`),
    notes: {
      read: (id) => client.get(`${notes}/${id}`),
      write: (id, text) => client.put(`${notes}/${id}`, { text }),
      list: (limit = 100) => client.get(`${notes}?limit=${limit}`),
      make: (text) => client.post(notes, { text }),
    },
    makeObject: (text) => client.post(`/shelves/${shelfId}/shelves`, { text }),
    page: () => client.get(`/shelves/${shelfId}/pages`),
    async fillNotes(count, text) {
      const { database } = runtime;
      const filling = `WITH RECURSIVE past(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM past WHERE n < ?2)
        INSERT INTO notes (shelf_id, text) SELECT ?1, ?3 FROM past`;
      await database.prepare("DELETE FROM notes").run();
      await database.prepare(filling).bind(shelfId, count, text).run();
    },
    async close() {
      client.close();
      await runtime.close();
    },
  };
}

/** The tables of the bare feed, with rows as long as those of the service. */
function readFeed(shelf: string): string[] {
  return [
    `CREATE TABLE events (seq INTEGER PRIMARY KEY AUTOINCREMENT, shelf_id TEXT, id TEXT, shelf_name TEXT, item_id TEXT, url TEXT, path TEXT,
       actor TEXT, kind TEXT, text TEXT, payload TEXT, created_at TEXT)`,
    "CREATE INDEX events_by_shelf ON events (shelf_id, seq)",
    `WITH RECURSIVE past(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM past WHERE n < 1000)
     INSERT INTO events (shelf_id, id, shelf_name, item_id, url, path, actor, kind, text, payload, created_at)
     SELECT '${shelf}', printf('%036d', n), 'A shelf', printf('%036d', n), printf('%.*c', 120, 'u'), printf('%.*c', 100, 'p'),
       '{"id":"usr_1","name":"Olive Owner","imageUrl":null}', 'session_priority_changed', printf('%.*c', 70, 't'),
       '{"from":"none","to":"high"}', '2026-01-01T00:00:00.000Z' FROM past`,
    "CREATE TABLE totals (shelf_id TEXT PRIMARY KEY, events INTEGER)",
    `INSERT INTO totals VALUES ('${shelf}', 1000)`,
    "CREATE TABLE marks (shelf_id TEXT PRIMARY KEY, seq INTEGER)",
    `INSERT INTO marks VALUES ('${shelf}', 0)`,
  ];
}
