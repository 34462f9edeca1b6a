// The bare routes: the minimal cost of a request on this runtime. A request reads one row of D1 and calls one object, which writes or reads one
// row. There are no checks and no rules.
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

/** A page, its total and the shelves, and for `mark` a row that is written with them: what a feed cannot do without. */
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

async function findShelf(env: BareEnv, id: string): Promise<Shelf> {
  const found = await env.DB.prepare("SELECT id, name FROM shelves WHERE id = ?1").bind(id).first<Shelf>();
  if (!found) throw new Error("there is no such shelf");
  return found;
}

export default app;
