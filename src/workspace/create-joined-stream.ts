// Joins the sockets of several workspaces' event objects to one, which behaves like the socket of a
// single object: it gives a batch when it is asked for more, and then what happens.
import { formatEvent, liveFrame, moreFrame } from "../chat/wire/live-event.ts";
import { formatPosition } from "./rules/stream-position.ts";

/** The stream of one workspace. */
export interface WorkspaceStream {
  workspaceId: string;
  socket: WebSocket;
  /** The last event that the client has; null for a client that has none. */
  position: number | null;
}

interface Source {
  socket: WebSocket;
  /** The last event that the client has. It is null until the client is asked to read again. */
  position: number | null;
  /** Where the client continues once it is asked to read again; null unless it has to be. */
  resetTo: number | null;
  isLive: boolean;
}

/**
 * What may come in from streams that are live while others still catch up. A client that reads so
 * slowly continues from its last event.
 */
const aheadCharactersMax = 2 ** 20;

/** Joins the streams. They must be in the order of their workspaces' ids. */
export function createJoinedStream(streams: readonly WorkspaceStream[]): WebSocket {
  const { 0: reader, 1: ours } = new WebSocketPair();
  const ids = streams.map(({ workspaceId }) => workspaceId);
  const sources = streams.map(({ socket, position }): Source => ({ socket, position, resetTo: null, isLive: false }));
  /** The stream that has been asked for a batch. One at a time, so that memory holds one batch. */
  let asked: Source | null = null;
  let hasReset = false;
  let isLive = false;
  let ahead = 0;
  const place = () =>
    formatPosition(
      ids,
      sources.map(({ position }) => position),
    );

  function close(): void {
    for (const socket of [ours, ...sources.map((source) => source.socket)]) socket.close(1000);
  }

  /** Asks the next stream that is not live. Once all are, the reader is live too. */
  function askNext(): void {
    asked = sources.find((source) => !source.isLive) ?? null;
    if (asked !== null) {
      asked.socket.send(moreFrame);
      return;
    }
    if (isLive) return;
    const missed = sources.filter(({ resetTo }) => resetTo !== null);
    // One request to read again is enough for all of them, and for a reader without workspaces.
    if ((missed.length > 0 || sources.length === 0) && !hasReset) {
      hasReset = true;
      for (const source of missed) source.position = source.resetTo;
      ours.send(formatEvent({ id: place(), event: "reset", data: "{}" }));
      return;
    }
    isLive = true;
    ours.send(liveFrame);
  }

  function receive(source: Source, text: string): void {
    const isBatch = source === asked;
    if (isBatch) asked = null;
    if (text === liveFrame) {
      source.isLive = true;
      askNext();
      return;
    }
    const [, resetTo] = /^id: (\d+)\nevent: reset\n/.exec(text) ?? [];
    if (resetTo !== undefined) {
      source.resetTo = Number(resetTo);
      askNext();
      return;
    }
    ours.send(withPlaces(source, text));
    if (isBatch || isLive) return;
    ahead += text.length;
    if (ahead > aheadCharactersMax) close();
  }

  /** The events with ids that say where the reader is in all workspaces. */
  function withPlaces(source: Source, text: string): string {
    return text.replace(/^id: (\d+)$/gm, (_, id) => {
      if (source.resetTo === null || hasReset) source.position = Number(id);
      else source.resetTo = Number(id);
      return `id: ${place()}`;
    });
  }

  ours.addEventListener("message", ({ data }) => {
    if (data !== moreFrame) return;
    ahead = 0;
    if (asked === null) askNext();
  });
  ours.addEventListener("close", close);
  ours.addEventListener("error", close);
  ours.accept();
  for (const source of sources) {
    source.socket.addEventListener("message", ({ data }) => receive(source, String(data)));
    source.socket.addEventListener("close", close);
    source.socket.addEventListener("error", close);
    source.socket.accept();
  }
  return reader;
}
