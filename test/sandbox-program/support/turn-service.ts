// Stands in for the service's end of the turn link: takes WebSocket connections by hand, keeps the
// events it acknowledges, and can drop a connection or stay silent.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type {
  LinkCommand,
  LinkEvent,
  LinkOutput,
  PrintedText,
  TurnOutcome,
} from "../../../src/sandbox-protocol/protocol.ts";
import { until } from "../../support/until.ts";

export interface TurnService {
  url: string;
  /** Every event as it arrived, repeated ones too. */
  received: LinkEvent[];
  /** Every piece of output. */
  printed: PrintedText[];
  /** The authorization header of each connection. */
  credentials: (string | undefined)[];
  /** The seq of the first event after each (re)connect. */
  firstSeqs: number[];
  send(command: LinkCommand): void;
  /** A frame of any text. */
  sendText(text: string): void;
  /** Cuts the connection as a broken network would. */
  drop(): void;
  /** Closes it with a code, as the service does. */
  close(code: number): void;
  /** Whether it takes no connection, as while it is being restarted. */
  isAway: boolean;
  /** The connections that were not taken. */
  missed: number;
  /** Later events are not acknowledged. */
  acksUpTo: number;
  ended(): Promise<TurnOutcome>;
  stop(): Promise<void>;
}

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Starts a service for one turn. */
export async function startTurnService(): Promise<TurnService> {
  const received: LinkEvent[] = [];
  const printed: PrintedText[] = [];
  const credentials: (string | undefined)[] = [];
  const firstSeqs: number[] = [];
  let heldSeq = 0;
  let socket: Socket | null = null;
  const sockets = new Set<Socket>();

  const server = createServer((_request, response) => response.writeHead(426).end());
  server.on("upgrade", (request: IncomingMessage, opened: Socket) => {
    if (service.isAway) {
      service.missed += 1;
      opened.destroy();
      return;
    }
    const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${magic}`).digest("base64");
    opened.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket = opened;
    sockets.add(opened);
    credentials.push(request.headers.authorization);
    let isFirst = true;
    let buffer = Buffer.alloc(0);
    opened.on("error", () => {});
    opened.on("data", (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk]);
      for (let frame = readFrame(buffer); frame; frame = readFrame(buffer)) {
        buffer = buffer.subarray(frame.length);
        if (frame.opcode === 8) opened.end();
        if (frame.opcode !== 1) continue;
        if (frame.text === "ping") {
          opened.write(textFrame("pong"));
          continue;
        }
        const sent: LinkEvent | LinkOutput = JSON.parse(frame.text);
        if ("output" in sent) {
          printed.push(sent.output);
          continue;
        }
        const event = sent;
        if (isFirst) firstSeqs.push(event.seq);
        isFirst = false;
        received.push(event);
        if (event.seq > service.acksUpTo) continue;
        heldSeq = Math.max(heldSeq, event.seq);
        opened.write(textFrame(JSON.stringify({ type: "ack", seq: heldSeq })));
      }
    });
    opened.write(textFrame(JSON.stringify({ type: "ack", seq: heldSeq })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const service: TurnService = {
    url: `http://127.0.0.1:${port}/link`,
    received,
    printed,
    credentials,
    firstSeqs,
    isAway: false,
    missed: 0,
    acksUpTo: Number.POSITIVE_INFINITY,
    send: (command) => service.sendText(JSON.stringify(command)),
    sendText: (text) => socket?.write(textFrame(text)),
    drop: () => socket?.destroy(),
    close(code) {
      const frame = Buffer.from([0x88, 2, 0, 0]);
      frame.writeUInt16BE(code, 2);
      socket?.end(frame);
    },
    async ended() {
      const last = await until("the turn's last event", () => received.find(({ event }) => event.type === "ended"));
      if (last.event.type !== "ended") throw new Error("not the last event");
      return last.event.outcome;
    },
    async stop() {
      for (const opened of sockets) opened.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = payload.length < 126 ? Buffer.from([0x81, payload.length]) : Buffer.from([0x81, 126, 0, 0]);
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** The first whole frame of a client, which is always masked. */
function readFrame(buffer: Buffer): { opcode: number; text: string; length: number } | null {
  if (buffer.length < 6) return null;
  const short = (buffer[1] ?? 0) & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (buffer.length < 6 + lengthBytes) return null;
  const size = short === 126 ? buffer.readUInt16BE(2) : short === 127 ? Number(buffer.readBigUInt64BE(2)) : short;
  const start = 2 + lengthBytes + 4;
  if (buffer.length < start + size) return null;
  const mask = buffer.subarray(start - 4, start);
  const payload = buffer.subarray(start, start + size).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return { opcode: (buffer[0] ?? 0) & 0x0f, text: Buffer.from(payload).toString("utf8"), length: start + size };
}
