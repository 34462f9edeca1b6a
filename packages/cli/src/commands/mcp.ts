// A bridge from stdio to the MCP endpoint of the service, for clients that speak only stdio.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { Command } from "@commander-js/extra-typings";
import { findHost } from "../config.ts";
import { fetchTraced } from "../trace.ts";

/** A message of the protocol, or a refusal of the service, which has no `jsonrpc`. */
interface Message {
  jsonrpc?: string;
  error?: unknown;
  id?: string | number;
  result?: { protocolVersion?: string };
}

/** Adds `mcp`. */
export function addMcpCommand(program: Command): void {
  program
    .command("mcp")
    .description("connect an MCP client over stdio to the service")
    .action(async () => {
      const { url, apiKey } = await findHost();
      const headers = new Headers({
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      });
      const write = (text: string) => process.stdout.write(`${text}\n`);

      async function forward(line: string): Promise<void> {
        const { id }: Message = JSON.parse(line);
        try {
          const response = await fetchTraced(`${url}/mcp`, { method: "POST", headers, body: line });
          for await (const text of listMessages(response)) {
            const { jsonrpc, result, error }: Message = JSON.parse(text);
            if (jsonrpc === undefined) throw new Error(String(error));
            // A client that has agreed on a version names it from then on.
            if (result?.protocolVersion) headers.set("mcp-protocol-version", result.protocolVersion);
            write(JSON.stringify(JSON.parse(text)));
          }
        } catch (error) {
          const message = `${url}/mcp: ${error instanceof Error ? error.message : error}`;
          if (id !== undefined) write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32603, message } }));
        }
      }

      const waiting: Promise<void>[] = [];
      for await (const line of createInterface({ input: process.stdin }))
        if (line.trim() !== "") waiting.push(forward(line));
      await Promise.all(waiting);
    });
}

/** Lists the messages of a response as they arrive: one, or those of a stream, or none. */
async function* listMessages(response: Response): AsyncGenerator<string, void, undefined> {
  if (!response.body || !response.headers.get("content-type")?.includes("event-stream")) {
    const text = await response.text();
    if (text !== "") yield text;
    return;
  }
  // A client that waits is shown the progress, which comes before the answer.
  for await (const line of createInterface({ input: Readable.from(response.body) })) {
    const [, data] = /^data: ?(.+)$/.exec(line) ?? [];
    if (data !== undefined) yield data;
  }
}
