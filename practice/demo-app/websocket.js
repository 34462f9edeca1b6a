// The server side of the WebSocket protocol (RFC 6455), as far as the board needs it: text, ping and close.
import { createHash } from "node:crypto";

const handshakeSalt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const largestMessageBytes = 64 * 1024;
const opcodes = { continuation: 0x0, text: 0x1, close: 0x8, ping: 0x9, pong: 0xa };

/**
 * Answers an upgrade request. Returns the connection, or null if the request is no WebSocket handshake.
 * `onText` is called with each text message, `onClose` once.
 */
export function acceptWebSocket(request, socket, head, { onText, onClose }) {
  const key = request.headers["sec-websocket-key"];
  if (request.headers.upgrade?.toLowerCase() !== "websocket" || !key) {
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    return null;
  }
  const accept = createHash("sha1")
    .update(key + handshakeSalt)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.setNoDelay(true);

  const send = (opcode, payload) => socket.writable && socket.write(frame(opcode, payload));
  const close = (code) => {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    send(opcodes.close, payload);
    socket.end();
  };

  let unread = Buffer.alloc(0);
  let message = [];
  const read = (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    for (let next = readFrame(unread); next !== null; next = readFrame(unread)) {
      if (next.error) return close(next.error);
      unread = unread.subarray(next.length);
      if (!take(next)) return;
    }
  };
  const take = ({ opcode, isFinal, payload }) => {
    switch (opcode) {
      case opcodes.text:
      case opcodes.continuation:
        message.push(payload);
        if (isFinal) {
          onText(Buffer.concat(message).toString("utf8"));
          message = [];
        }
        return true;
      case opcodes.ping:
        send(opcodes.pong, payload);
        return true;
      case opcodes.pong:
        return true;
      case opcodes.close:
        close(1000);
        return false;
      default:
        close(1003);
        return false;
    }
  };

  socket.on("data", read);
  socket.on("error", () => socket.destroy());
  // A browser that disappears closes the connection without a close frame.
  socket.on("end", () => socket.end());
  socket.once("close", onClose);
  if (head.length > 0) read(head);
  return { send: (text) => send(opcodes.text, Buffer.from(text)) };
}

function frame(opcode, payload) {
  const { length } = payload;
  const head = length < 126 ? Buffer.alloc(2) : Buffer.alloc(4);
  head[0] = 0x80 | opcode;
  head[1] = Math.min(length, 126);
  if (length >= 126) head.writeUInt16BE(length, 2);
  return Buffer.concat([head, payload]);
}

/** Parses the first frame. Null while it is incomplete; a close code if it is invalid. */
function readFrame(bytes) {
  if (bytes.length < 2) return null;
  const isMasked = (bytes[1] & 0x80) !== 0;
  if (!isMasked) return { error: 1002 };
  let payloadLength = bytes[1] & 0x7f;
  if (payloadLength === 127) return { error: 1009 };
  let at = 2;
  if (payloadLength === 126) {
    if (bytes.length < 4) return null;
    payloadLength = bytes.readUInt16BE(2);
    at = 4;
  }
  if (payloadLength > largestMessageBytes) return { error: 1009 };
  const length = at + 4 + payloadLength;
  if (bytes.length < length) return null;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(bytes.subarray(at + 4, length));
  for (let index = 0; index < payload.length; index++) payload[index] ^= mask[index % 4];
  return { opcode: bytes[0] & 0x0f, isFinal: (bytes[0] & 0x80) !== 0, payload, length };
}
