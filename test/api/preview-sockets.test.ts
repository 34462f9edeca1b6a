// WebSockets through a preview host, and many concurrent WebSockets and requests: messages and
// closes are carried both ways, and an ended connection leaves nothing.
import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { type OpenedPreview, openProbe } from "../support/probed-preview.ts";
import { until } from "../support/until.ts";
import { type OpenedSocket, openSocket } from "../support/web-socket.ts";

const world = previewWorld();
let preview: OpenedPreview;
beforeAll(async () => {
  preview = await openProbe(world);
});

const seen = async (): Promise<{ id: number; open: number; closes: number[] }> =>
  JSON.parse((await preview.get("/probe/seen", { cookie: preview.cookie })).text);

/** Opens a WebSocket to the test service. */
async function connect(headers: Record<string, string> = {}): Promise<OpenedSocket> {
  const { host, cookie } = preview;
  const opened = await openSocket(world.baseUrl, "/probe/socket", { host, cookie, ...headers });
  if (typeof opened === "number") throw new Error(`the upgrade was answered with ${opened}`);
  return opened;
}

describe("a WebSocket", () => {
  test("forwards text, bytes and the subprotocol", async () => {
    const socket = await connect({ "sec-websocket-protocol": "vite-hmr, other" });
    expect(socket.protocol).toBe("vite-hmr");
    const bytes = Buffer.from(Array.from({ length: 3_000 }, (_, at) => at % 256));
    socket.send("Grüezi");
    socket.send(bytes);
    await until("both", () => socket.received.length + socket.receivedBytes.length === 2);
    expect([socket.received, Buffer.concat(socket.receivedBytes).equals(bytes)]).toEqual([["Grüezi"], true]);
    socket.close();
  });

  test("is closed by the service with its code and reason", async () => {
    const socket = await connect();
    socket.send("close 4001 go away");
    expect(await socket.closed).toEqual({ code: 4001, reason: "go away" });
  });

  test("is closed by the browser with its code", async () => {
    const socket = await connect();
    socket.close(4002);
    await until("the service to hear of it", async () => (await seen()).closes.includes(4002));
  });
});

/** Files that the service has open, including its connections. */
async function openFiles(): Promise<number> {
  const { id } = await seen();
  return readdirSync(`/proc/${id}/fd`).length;
}

describe("many concurrent ones leave nothing open", () => {
  test("50 WebSockets, half of which break without a close", async () => {
    await until("a service at rest", async () => (await seen()).open === 0);
    const before = await openFiles();
    const all = await Promise.all(Array.from({ length: 50 }, () => connect()));
    for (const [at, socket] of all.entries()) socket.send(`number ${at}`);
    await until("every answer", () => all.every(({ received }, at) => received[0] === `number ${at}`));
    expect((await seen()).open).toBe(50);
    for (const [at, socket] of all.entries()) at % 2 === 0 ? socket.close() : socket.cutOff();
    await until("the service to be alone", async () => (await seen()).open === 0);
    await until("its files to be closed", async () => (await openFiles()) <= before + 2);
  });

  test("300 requests, 50 at a time", async () => {
    const before = await openFiles();
    let left = 300;
    const statuses = new Set<number>();
    const worker = async () => {
      while (left-- > 0) statuses.add((await preview.get("/probe/bytes", { cookie: preview.cookie })).status);
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    expect([...statuses]).toEqual([200]);
    await until("its files to be closed", async () => (await openFiles()) <= before + 2);
  });

  test("visitors who disconnect during a response", async () => {
    const streams = () =>
      preview.get("/probe/seen", { cookie: preview.cookie }).then(({ text }) => JSON.parse(text).streams);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        preview.answerTo({ path: "/probe/stream", headers: { cookie: preview.cookie } }),
      ),
    );
    expect(await streams()).toBe(20);
    for (const answer of answers) answer.destroy();
    await until("the service to notice", async () => (await streams()) === 0);
  });
});
