// A WebSocket to a server of this machine under any host name, which Node's own client cannot ask for. It speaks as much of the protocol
// as short texts need.
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Duplex } from "node:stream";

export interface OpenedSocket {
  /** Every text heard so far. */
  heard: string[];
  send(text: string): void;
  close(): void;
}

const opcodes = { text: 0x1, close: 0x8 };

/** Opens a WebSocket; answers the status of the server when it does not take the upgrade. */
export function openSocket(
  baseUrl: string,
  path: string,
  headers: Record<string, string>,
): Promise<OpenedSocket | number> {
  const { port } = new URL(baseUrl);
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers: { ...headers, ...upgrade } });
    sent.once("error", reject);
    sent.once("upgrade", (_, socket, head) => resolve(speak(socket, head)));
    sent.once("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.end();
  });
}

function speak(socket: Duplex, head: Buffer): OpenedSocket {
  const heard: string[] = [];
  let unread = Buffer.alloc(0);
  const read = (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    // Frames of a server carry no mask; a short one has its length in the second byte.
    for (let end = frameEnd(unread); end > 0; end = frameEnd(unread)) {
      if (((unread[0] ?? 0) & 0x0f) === opcodes.text) heard.push(unread.toString("utf8", 2, end));
      unread = unread.subarray(end);
    }
  };
  socket.on("data", read);
  socket.on("error", () => socket.destroy());
  read(head);
  return {
    heard,
    send: (text) => void socket.write(frame(opcodes.text, Buffer.from(text))),
    close: () => void socket.end(frame(opcodes.close, Buffer.from([0x03, 0xe8]))),
  };
}

/** Where the first frame ends; 0 while it is not all there. */
function frameEnd(bytes: Buffer): number {
  const length = 2 + ((bytes[1] ?? 0) & 0x7f);
  return bytes.length >= 2 && bytes.length >= length ? length : 0;
}

function frame(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const masked = payload.map((byte, place) => byte ^ (mask[place % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length]), mask, masked]);
}
