// The bare routes: the minimal cost of a request on this runtime. A request reads one row of D1 and
// calls one object, which writes or reads one row. There are no checks and no rules.
//
// The routes of notes have no object: a request reads its shelf, as the service reads access, and
// then reads or writes rows of D1.
import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";

interface BareEnv {
  DB: D1Database;
  SHELF: DurableObjectNamespace<ShelfObject>;
}

interface Shelf {
  id: string;
  name: string;
}

interface Item {
  [column: string]: SqlStorageValue;
  id: number;
  text: string;
}

export class ShelfObject extends DurableObject<BareEnv> {
  constructor(ctx: DurableObjectState, env: BareEnv) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  }

  async put(text: string): Promise<{ id: number }> {
    const put = this.ctx.storage.sql.exec<{ id: number }>("INSERT INTO items (text) VALUES (?) RETURNING id", text);
    return { id: put.one().id };
  }

  async putNoted(shelfId: string, text: string): Promise<void> {
    await this.put(text);
    void this.ctx.storage.setAlarm(Date.now() + 3_600_000);
    await this.env.DB.prepare("INSERT INTO notes (shelf_id, text) VALUES (?1, ?2)").bind(shelfId, text).run();
  }

  override async alarm(): Promise<void> {}

  async item(id: number): Promise<Item> {
    return this.ctx.storage.sql.exec<Item>("SELECT id, text FROM items WHERE id = ?", id).one();
  }
}

const app = new Hono<{ Bindings: BareEnv }>();

app.post("/shelves/:shelfId/items", async (context) => {
  const { text } = await context.req.json<{ text: string }>();
  const shelf = await findShelf(context.env, context.req.param("shelfId"));
  const { id } = await context.env.SHELF.getByName(shelf.id).put(text);
  return context.json({ data: { id, shelf } }, 201);
});

app.get("/shelves/:shelfId/items/:itemId", async (context) => {
  const shelf = await findShelf(context.env, context.req.param("shelfId"));
  const item = await context.env.SHELF.getByName(shelf.id).item(Number(context.req.param("itemId")));
  return context.json({ data: { item, shelf } });
});

/**
 * A page, its total and the shelves; with `mark`, also writes a row. This is the minimum that a
 * feed needs.
 */
app.get("/shelves/:shelfId/feed", async (context) => {
  const { DB } = context.env;
  const { id } = await findShelf(context.env, context.req.param("shelfId"));
  const marking = context.req.query("mark") === undefined ? [] : [DB.prepare("UPDATE marks SET seq = seq + 1")];
  const [events, totals, shelves] = await DB.batch([
    DB.prepare("SELECT * FROM events WHERE shelf_id = ?1 ORDER BY seq DESC LIMIT 51").bind(id),
    DB.prepare("SELECT events FROM totals WHERE shelf_id = ?1").bind(id),
    DB.prepare("SELECT id, name FROM shelves"),
    ...marking,
  ]);
  return context.json({
    data: events?.results.slice(0, 50),
    meta: { total: totals?.results, shelves: shelves?.results },
  });
});

app.get("/shelves/:shelfId/notes/:noteId", async (context) => {
  const { DB } = context.env;
  await findShelf(context.env, context.req.param("shelfId"));
  return context.json({ data: await findNote(DB, context.req.param("noteId")) });
});

app.put("/shelves/:shelfId/notes/:noteId", async (context) => {
  const { DB } = context.env;
  const { text } = await context.req.json<{ text: string }>();
  await findShelf(context.env, context.req.param("shelfId"));
  const { id } = await findNote(DB, context.req.param("noteId"));
  await DB.prepare("UPDATE notes SET text = ?2 WHERE id = ?1").bind(id, text).run();
  return context.json({ data: { id, text } });
});

/**
 * Creates a new object that stores the item, sets its alarm, and writes a row into D1, like the
 * rows that lists show.
 */
app.post("/shelves/:shelfId/shelves", async (context) => {
  const { text } = await context.req.json<{ text: string }>();
  const { id } = await findShelf(context.env, context.req.param("shelfId"));
  await context.env.SHELF.getByName(crypto.randomUUID()).putNoted(id, text);
  return context.json({ data: { id, text } }, 201);
});

/** Reads a page and its total. */
app.get("/shelves/:shelfId/pages", async (context) => {
  const { DB } = context.env;
  const { id } = await findShelf(context.env, context.req.param("shelfId"));
  const [totals, notes] = await DB.batch<Item>([
    DB.prepare("SELECT count(*) AS total FROM notes WHERE shelf_id = ?1").bind(id),
    DB.prepare("SELECT id, text FROM notes WHERE shelf_id = ?1 ORDER BY id DESC LIMIT 20").bind(id),
  ]);
  return context.json({ data: notes?.results, meta: totals?.results });
});

app.get("/shelves/:shelfId/notes", async (context) => {
  const { id } = await findShelf(context.env, context.req.param("shelfId"));
  const limit = Number(context.req.query("limit") ?? 100);
  const { DB } = context.env;
  const found = DB.prepare("SELECT id, text FROM notes WHERE shelf_id = ?1 ORDER BY id LIMIT ?2").bind(id, limit);
  return context.json({ data: (await found.all<Item>()).results });
});

app.post("/shelves/:shelfId/notes", async (context) => {
  const { DB } = context.env;
  const { text } = await context.req.json<{ text: string }>();
  const { id } = await findShelf(context.env, context.req.param("shelfId"));
  const put = DB.prepare("INSERT INTO notes (shelf_id, text) VALUES (?1, ?2) RETURNING id, text").bind(id, text);
  return context.json({ data: await put.first<Item>() }, 201);
});

async function findNote(database: D1Database, id: string): Promise<Item> {
  const found = await database.prepare("SELECT id, text FROM notes WHERE id = ?1").bind(id).first<Item>();
  if (!found) throw new Error("there is no such note");
  return found;
}

async function findShelf(env: BareEnv, id: string): Promise<Shelf> {
  const found = await env.DB.prepare("SELECT id, name FROM shelves WHERE id = ?1").bind(id).first<Shelf>();
  if (!found) throw new Error("there is no such shelf");
  return found;
}

export default app;
