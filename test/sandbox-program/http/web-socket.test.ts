// The server's end of a WebSocket, frame by frame.
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { receiveWebSocket, type ServerSocket } from "../../../sandbox-program/http/web-socket.ts";
import { until } from "../../support/until.ts";

let server: Server;
let ours: ServerSocket;
let said: string[];
let client: Duplex;
let answered: Buffer;

beforeAll(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  server.on("upgrade", (asked, connection, head) => {
    receiveWebSocket(asked, connection, head, { "x-more": "yes" }, (socket) => {
      ours = socket;
      return {
        onText: (text) => void said.push(`text ${text}`),
        onBytes: (bytes) => void said.push(`bytes ${bytes.length}`),
        onClose: () => void said.push("closed"),
      };
    });
  });
});
afterAll(() => void server.close());

beforeEach(async () => {
  said = [];
  answered = Buffer.alloc(0);
  // The key and the answer of RFC 6455.
  const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  const sent = request({ port: (server.address() as AddressInfo).port, headers }).end();
  const [answer, socket] = await once(sent, "upgrade");
  expect(answer.headers).toMatchObject({ "sec-websocket-accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "x-more": "yes" });
  client = socket;
  client.on("data", (chunk: Buffer) => {
    answered = Buffer.concat([answered, chunk]);
  });
});

const opcodes = { more: 0, text: 1, bytes: 2, close: 8, ping: 9, pong: 10 };

/** A masked frame, as a client sends it. */
function frame(opcode: number, payload: Buffer | string, isLast = true): Buffer {
  const content = Buffer.from(payload);
  const mask = Buffer.from([1, 2, 3, 4]);
  const long = content.length >= 65_536 ? 8 : content.length >= 126 ? 2 : 0;
  const head = Buffer.alloc(2 + long);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (long === 8 ? 127 : long === 2 ? 126 : content.length);
  if (long === 2) head.writeUInt16BE(content.length, 2);
  if (long === 8) head.writeBigUInt64BE(BigInt(content.length), 2);
  return Buffer.concat([head, mask, content.map((byte, at) => byte ^ (mask[at % 4] ?? 0))]);
}

test.each([0, 125, 126, 65_535, 65_536, 1_000_000])("%i bytes arrive, and are sent, in one frame", async (length) => {
  client.write(frame(opcodes.bytes, Buffer.alloc(length, "x")));
  await until("the message", () => said.includes(`bytes ${length}`));
  ours.sendBytes(Buffer.alloc(length, "y"));
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  await until("the answer", () => answered.length === head + length);
  expect([answered[0], answered.subarray(head).every((byte) => byte === "y".charCodeAt(0))]).toEqual([0x82, true]);
});

test("a message in several frames is one, with a ping between them, and cut anywhere", async () => {
  const bytes = Buffer.concat([
    frame(opcodes.text, "Grü", false),
    frame(opcodes.ping, "p"),
    frame(opcodes.more, "", false),
    frame(opcodes.more, "ezi"),
  ]);
  for (const byte of bytes) client.write(Buffer.from([byte]));
  await until("the message", () => said.includes("text Grüezi"));
  await until("the pong", () => answered.equals(Buffer.from([0x8a, 1, 112])));
});

const code = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const ends: [promise: string, sent: Buffer, code: number][] = [
  ["a close is answered with its code", frame(opcodes.close, code(4_001)), 4_001],
  ["a close without a code is normal", frame(opcodes.close, ""), 1_000],
  ["a continuation of nothing is an error", frame(opcodes.more, "x"), 1_002],
  [
    "a message inside another is an error",
    Buffer.concat([frame(opcodes.text, "x", false), frame(opcodes.text, "y")]),
    1_002,
  ],
  ["a frame that is too large is not read", Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]), 1_009],
];
test.each(ends)("%s", async (_, sent, expected) => {
  client.write(sent);
  await until("the close", () => answered.length === 4);
  expect([...answered]).toEqual([0x88, 2, ...code(expected)]);
  client.end();
  await until("the end", () => said.includes("closed"));
});

test("a connection that breaks is a close, and nothing is sent to it", async () => {
  client.destroy();
  await until("the end", () => said.join() === "closed");
  ours.sendText("late");
  ours.close(1_000);
  expect(said).toEqual(["closed"]);
});

test("a peer that never closes its end does not keep the connection", async () => {
  // Without reading, the client does not notice that the server has closed.
  client.pause();
  ours.close(1_000);
  await until("the end", () => said.includes("closed"));
});
