// WebSockets that echo messages. `close <code> <reason>` closes one, and the end of each is
// recorded.
import { createHash } from "node:crypto";

const salt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const opcodes = { text: 1, close: 8 };

/** Accepts the upgrades of a server under one path. */
export function createSockets() {
  const open = new Set();
  const closes = [];

  function accept(request, socket, head) {
    const key = createHash("sha1")
      .update(request.headers["sec-websocket-key"] + salt)
      .digest("base64");
    const [protocol] = (request.headers["sec-websocket-protocol"] ?? "").split(/,\s*/);
    const lines = [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${key}`,
    ];
    if (protocol) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    socket.setNoDelay(true);
    open.add(socket);
    let code = 0;
    socket.on("error", () => socket.destroy());
    // A browser that disappears closes the connection without a close frame.
    socket.on("end", () => socket.end());
    socket.once("close", () => {
      open.delete(socket);
      closes.push(code);
    });
    const send = (opcode, payload) => socket.write(frame(opcode, payload));
    const take = (opcode, payload) => {
      if (opcode === opcodes.close) {
        code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
        send(opcodes.close, payload);
        socket.end();
        return;
      }
      const [, asked, reason] = /^close (\d+) (.*)$/.exec(opcode === opcodes.text ? String(payload) : "") ?? [];
      if (asked === undefined) return send(opcode, payload);
      const farewell = Buffer.alloc(2);
      farewell.writeUInt16BE(Number(asked));
      send(opcodes.close, Buffer.concat([farewell, Buffer.from(reason)]));
    };
    let unread = Buffer.alloc(0);
    const read = (chunk) => {
      unread = Buffer.concat([unread, chunk]);
      for (let next = readFrame(unread); next !== null; next = readFrame(unread)) {
        unread = unread.subarray(next.length);
        take(next.opcode, next.payload);
      }
    };
    socket.on("data", read);
    if (head.length > 0) read(head);
  }

  return { accept, seen: () => ({ open: open.size, closes }) };
}

function frame(opcode, payload) {
  const { length } = payload;
  const head = length < 126 ? Buffer.alloc(2) : Buffer.alloc(4);
  head[0] = 0x80 | opcode;
  head[1] = Math.min(length, 126);
  if (length >= 126) head.writeUInt16BE(length, 2);
  return Buffer.concat([head, payload]);
}

/** Parses the first frame of a client, which is masked; null while it is incomplete. */
function readFrame(bytes) {
  if (bytes.length < 2) return null;
  let size = bytes[1] & 0x7f;
  let at = 2;
  if (size === 126) {
    if (bytes.length < 4) return null;
    size = bytes.readUInt16BE(2);
    at = 4;
  }
  const length = at + 4 + size;
  if (bytes.length < length) return null;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(bytes.subarray(at + 4, length)).map((byte, place) => byte ^ mask[place % 4]);
  return { opcode: bytes[0] & 0x0f, payload: Buffer.from(payload), length };
}
