// Runs the bare Worker: one object that stores items of any size.

import { freePort } from "../dev/free-port.ts";
import { startWorkerRuntime } from "../dev/worker-runtime.ts";
import { openHttpClient, type Reply } from "./http-client.ts";

export interface Bare {
  post(text: string): Promise<Reply>;
  /** Returns a function that reads an item with a response of `answerBytes`. */
  readerOf(answerBytes: number): Promise<() => Promise<Reply>>;
  close(): Promise<void>;
}

const shelfId = "shelf-1";
const shelfName = "A shelf";

/** Starts the bare Worker. `headers` are sent with every request, so that both sides parse the same headers. */
export async function startBare(folder: string, headers: Record<string, string>): Promise<Bare> {
  const port = await freePort();
  const config = { entry: "bench/bare-routes.ts", config: "bench/bare-wrangler.toml" };
  const runtime = await startWorkerRuntime({ port, folder, settings: {}, inspectsObjects: true, ...config });
  await runtime.database.exec("CREATE TABLE shelves (id TEXT PRIMARY KEY, name TEXT NOT NULL)");
  await runtime.database.prepare("INSERT INTO shelves VALUES (?1, ?2)").bind(shelfId, shelfName).run();
  const client = openHttpClient(`http://localhost:${port}`, headers);
  const items = `/shelves/${shelfId}/items`;
  const post = (text: string) => client.post(items, { text });
  await post("the first item makes the shelf");
  return {
    post,
    async readerOf(answerBytes) {
      const envelope = JSON.stringify({ data: { item: { id: 1, text: "" }, shelf: { id: shelfId, name: shelfName } } });
      const length = Math.max(1, answerBytes - envelope.length);
      const put = `INSERT INTO items (text) VALUES (printf('%.*c', ${length}, 'x')) RETURNING id`;
      const [item] = await runtime.objectSql("ShelfObject", shelfId, put);
      return () => client.get(`${items}/${item?.id}`);
    },
    async close() {
      client.close();
      await runtime.close();
    },
  };
}
