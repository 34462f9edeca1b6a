// Access to a running world's database, to insert rows that no route creates, and to its object
// storage. The tests and the world run in different processes, so the access is a server on
// loopback.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { World } from "../../practice/local-service.ts";

/** An SQL statement, or a prefix of storage keys. */
type Question = { sql: string; values: unknown[] } | { prefix: string };

export interface Inside {
  url: string;
  close(): Promise<void>;
}

/** Starts the server. */
export async function openInside({ database, store }: Pick<World, "database" | "store">): Promise<Inside> {
  async function answerTo(question: Question): Promise<unknown> {
    if ("prefix" in question)
      return (await (await store()).list({ prefix: question.prefix })).objects.map(({ key }) => key);
    const statement = database.prepare(question.sql).bind(...question.values);
    return (await statement.all()).results;
  }

  const server = createServer(async (request, response) => {
    try {
      const question: Question = JSON.parse(await text(request));
      response.end(JSON.stringify(await answerTo(question)));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

/** Creates a client of the server. */
export function createInside({ insideUrl }: { insideUrl: string }) {
  async function ask<Answer>(question: Question): Promise<Answer> {
    const response = await fetch(insideUrl, { method: "POST", body: JSON.stringify(question) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Answer;
  }
  return {
    /** Runs one statement. Answers its rows. */
    sql: (sql: string, ...values: unknown[]) => ask<Record<string, unknown>[]>({ sql, values }),
    /** The keys of stored objects with a prefix. */
    storedKeys: (prefix: string) => ask<string[]>({ prefix }),
  };
}
