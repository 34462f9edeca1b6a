// The turn link: the WebSocket that the program opens to the object that owns the turn. It sends
// the journal's events in order, after a reconnect from the last acknowledged one, and receives
// commands.

import { getBackoffMs } from "../../src/rules/backoff.ts";
import {
  type LinkCommand,
  type LinkOutput,
  linkPing,
  linkPingEveryMs,
  linkPong,
  linkTurnOver,
  type PrintedText,
} from "../../src/sandbox-protocol/protocol.ts";
import { linkCommandSchema } from "../../src/sandbox-protocol/schemas.ts";
import type { Journal } from "./journal.ts";

export type SteerCommand = Extract<LinkCommand, { type: "steer" }>;

export interface TurnLink {
  /** Sends new events of the journal. */
  wake(): void;
  /** Sends a piece of output. False if it cannot be sent now: earlier events are still waiting. */
  print(output: PrintedText): boolean;
  close(): void;
}

export interface TurnLinkListener {
  onSteer(steer: SteerCommand): void;
  onStop(): void;
  /** Somebody reads the outputs of running commands, or nobody does. */
  onOutputs(areShown: boolean): void;
  /** The service has stored the turn's first event, so it knows that this sandbox runs the turn. */
  onKnown(): void;
  /** The service has stored the turn's last event. */
  onDelivered(): void;
  /** The service no longer expects events of the turn. */
  onOver(): void;
  /** The service was unreachable for so long that it has ended the turn as failed. */
  onLost(): void;
}

const pauses = { firstMs: 50, longestMs: 5_000 };
const silenceMs = 3 * linkPingEveryMs;
/** Longer than the silence after which the service ends a turn as failed. */
const lostAfterMs = 150_000;
const giveUpAfterMs = 15 * 60_000;
const batchBytes = 256 * 1_024;
const bufferedBytesMax = 1_024 * 1_024;
/** Outputs wait earlier, so that they never delay the turn's events. */
const printBufferedBytesMax = 64 * 1_024;
const bufferedPauseMs = 20;

/** Opens the link, and reconnects until it is closed. */
export function dialTurnLink(
  address: { url: string; token: string },
  journal: Journal,
  listener: TurnLinkListener,
): TurnLink {
  let socket: WebSocket | null = null;
  /** The last event sent on this socket; null until the service has sent its cursor. */
  let sentSeq: number | null = null;
  /** The dials since the link was last open. */
  let dials = 0;
  let redial: NodeJS.Timeout | undefined;
  let drain: NodeJS.Timeout | undefined;
  let lastReceivedAtMs = Date.now();
  let dialledAtMs = lastReceivedAtMs;
  let isClosed = false;
  let isLost = false;
  const pulse = setInterval(beat, linkPingEveryMs);

  function dial(): void {
    const dialled = new WebSocket(address.url.replace(/^http/, "ws"), {
      headers: { authorization: `Bearer ${address.token}` },
    });
    socket = dialled;
    dialledAtMs = Date.now();
    sentSeq = null;
    dialled.addEventListener("message", ({ data }) => {
      if (dialled === socket && typeof data === "string") receive(data);
    });
    dialled.addEventListener("close", ({ code }) => {
      if (dialled === socket) hangUp(code);
    });
    // After a failed connect, only `error` is fired, without `close`.
    dialled.addEventListener("error", () => {
      if (dialled === socket) hangUp(1006);
    });
  }

  function hangUp(code: number): void {
    socket = null;
    if (isClosed) return;
    listener.onOutputs(false);
    if (code === linkTurnOver) {
      close();
      listener.onOver();
      return;
    }
    dials += 1;
    redial = setTimeout(dial, getBackoffMs(dials, pauses) * (0.5 + Math.random()));
  }

  function receive(data: string): void {
    lastReceivedAtMs = Date.now();
    dials = 0;
    if (data === linkPong) return;
    const command = readCommand(data);
    switch (command?.type) {
      case "ack":
        if (journal.isEnded() && command.seq >= journal.lastSeq()) {
          close();
          listener.onDelivered();
          return;
        }
        if (command.seq > 0) listener.onKnown();
        sentSeq ??= command.seq;
        wake();
        return;
      case "steer":
        listener.onSteer(command);
        return;
      case "stop":
        listener.onStop();
        return;
      case "show_outputs":
      case "hide_outputs":
        listener.onOutputs(command.type === "show_outputs");
        return;
      case undefined:
        return;
    }
  }

  function wake(): void {
    while (socket?.readyState === WebSocket.OPEN && sentSeq !== null && sentSeq < journal.lastSeq()) {
      if (socket.bufferedAmount > bufferedBytesMax) {
        clearTimeout(drain);
        drain = setTimeout(wake, bufferedPauseMs);
        return;
      }
      const events = journal.readAfter(sentSeq, batchBytes);
      if (events.length === 0) return;
      for (const event of events) {
        socket.send(event);
        sentSeq += 1;
      }
    }
  }

  function print(output: PrintedText): boolean {
    if (socket?.readyState !== WebSocket.OPEN || sentSeq !== journal.lastSeq()) return false;
    if (socket.bufferedAmount > printBufferedBytesMax) return false;
    const frame: LinkOutput = { output };
    socket.send(JSON.stringify(frame));
    return true;
  }

  function beat(): void {
    const silentMs = Date.now() - lastReceivedAtMs;
    if (journal.isEnded() && silentMs > giveUpAfterMs) {
      close();
      return;
    }
    if (!journal.isEnded() && silentMs > lostAfterMs && !isLost) {
      isLost = true;
      listener.onLost();
    }
    if (socket === null) return;
    if (Date.now() - Math.max(lastReceivedAtMs, dialledAtMs) > silenceMs) {
      // The other side is gone or never responded. The link reconnects immediately, because
      // `close()` would wait for a close frame.
      const silent = socket;
      hangUp(1006);
      silent.close();
    } else if (socket.readyState === WebSocket.OPEN) socket.send(linkPing);
  }

  function close(): void {
    isClosed = true;
    clearInterval(pulse);
    clearTimeout(redial);
    clearTimeout(drain);
    socket?.close(1000);
    socket = null;
  }

  dial();
  return { wake, print, close };
}

/** Parses the command in a frame; undefined for an unknown command. */
function readCommand(data: string): LinkCommand | undefined {
  try {
    return linkCommandSchema.parse(JSON.parse(data));
  } catch {
    return undefined;
  }
}
