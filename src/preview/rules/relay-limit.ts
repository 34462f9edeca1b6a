// How many bytes of WebSockets the object of a sandbox relays in a short time. The platform queues
// what a socket cannot send, and does not say how much, and the sockets of a preview confirm
// nothing. So the limit bounds how fast such queues grow, and not how long they get.
import { previewRelayBytes, previewRelayMs } from "./limits.ts";

/** True if so many bytes fit into the present window, which then counts them. */
export type ByteWindow = (bytes: number, now: number) => boolean;

/** The windows of a sandbox, which all its WebSockets share. */
export interface RelayLimits {
  toService: ByteWindow;
  toVisitor: ByteWindow;
}

/** Creates the windows of a sandbox. */
export function createRelayLimits(): RelayLimits {
  return { toService: createByteWindow(), toVisitor: createByteWindow() };
}

/** Creates a window. Each starts with the first message after the end of the previous one. */
export function createByteWindow(): ByteWindow {
  let endsAt = 0;
  let counted = 0;
  return (bytes, now) => {
    if (now >= endsAt) {
      endsAt = now + previewRelayMs;
      counted = 0;
    }
    if (counted + bytes > previewRelayBytes) return false;
    counted += bytes;
    return true;
  };
}
