// The turn link: the connection a turn's program dials to the object that owns the turn. Events go out of the journal in order and
// again after every reconnect, from the last one acknowledged; commands come in.
import { linkCommandSchema } from "../../src/sandbox/program-call.ts";
import { type LinkCommand, linkPing, linkPingEveryMs, linkPong, linkTurnOver } from "../../src/sandbox/protocol.ts";
import type { Journal } from "./journal.ts";

export type SteerCommand = Extract<LinkCommand, { type: "steer" }>;

export interface TurnLink {
  /** There may be something new in the journal. */
  wake(): void;
  close(): void;
}

export interface TurnLinkListener {
  onSteer(steer: SteerCommand): void;
  onStop(): void;
  /** The service holds the turn's first event, so it knows that this sandbox has the turn. */
  onKnown(): void;
  /** The service holds the turn's last event. */
  onDelivered(): void;
  /** The turn is none of the service's business any more. */
  onOver(): void;
  /** The service could not be reached for so long that it has given the turn up. */
  onLost(): void;
}

const firstPauseMs = 50;
const longestPauseMs = 5_000;
const silenceMs = 3 * linkPingEveryMs;
/** Longer than the silence after which the service itself calls a turn failed. */
const lostAfterMs = 150_000;
const giveUpAfterMs = 15 * 60_000;
const batchBytes = 256 * 1_024;
const bufferedBytesMax = 1_024 * 1_024;
const bufferedPauseMs = 20;

/** Dials until it is closed. */
export function dialTurnLink(
  address: { url: string; token: string },
  journal: Journal,
  listener: TurnLinkListener,
): TurnLink {
  let socket: WebSocket | null = null;
  /** The last event sent on this socket; null until the service has said where to begin. */
  let sentSeq: number | null = null;
  let pauseMs = firstPauseMs;
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
    // A dial that comes to nothing ends with an error, and no `close` event follows.
    dialled.addEventListener("error", () => {
      if (dialled === socket) hangUp(1006);
    });
  }

  function hangUp(code: number): void {
    socket = null;
    if (isClosed) return;
    if (code === linkTurnOver) {
      close();
      listener.onOver();
      return;
    }
    redial = setTimeout(dial, pauseMs * (0.5 + Math.random()));
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }

  function receive(data: string): void {
    lastReceivedAtMs = Date.now();
    pauseMs = firstPauseMs;
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
      // The other side is gone without a word, or never answered the dial; a farewell would wait for its answer.
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
  return { wake, close };
}

/** The command in a frame; nothing where the frame holds none that can be followed. */
function readCommand(data: string): LinkCommand | undefined {
  try {
    return linkCommandSchema.parse(JSON.parse(data));
  } catch {
    return undefined;
  }
}
