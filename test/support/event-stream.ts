// A client of an event stream. It can reconnect with the last event id, as a page does.
import type { IncomingMessage } from "node:http";
import { answerTo } from "./http-exchange.ts";
import { until } from "./until.ts";

export interface StreamEvent {
  id: string;
  event: string;
  data: string;
}

export interface Stream {
  /** All events so far, of all connections. */
  events: StreamEvent[];
  headers: IncomingMessage["headers"];
  status: number;
  isOver(): boolean;
  leave(): void;
  /** Disconnects and reconnects. Later data of the old connection is ignored. */
  reconnect(): Promise<void>;
  /** Waits for an event of this name. */
  received(event: string): Promise<StreamEvent>;
}

/** Opens a stream, and resolves when its response begins. */
export async function openStream(
  baseUrl: string,
  path: string,
  headers: Record<string, string>,
  lastEventId?: string,
): Promise<Stream> {
  const events: StreamEvent[] = [];
  let answer: IncomingMessage;
  let isOver = false;

  async function connect(): Promise<void> {
    // The output of a running tool has no id.
    const last = events.findLast(({ id }) => id !== "")?.id ?? lastEventId;
    const opened = await answerTo(baseUrl, {
      path,
      headers: { ...headers, ...(last === undefined ? {} : { "last-event-id": last }) },
    });
    answer = opened;
    let unread = "";
    opened.setEncoding("utf8");
    opened.on("data", (text: string) => {
      if (answer !== opened) return;
      const parts = (unread + text).split("\n\n");
      unread = parts.pop() ?? "";
      events.push(...parts.flatMap(parseEvent));
    });
    opened.on("error", () => {});
    opened.on("close", () => {
      if (answer === opened) isOver = true;
    });
  }

  await connect();
  return {
    events,
    get headers() {
      return answer.headers;
    },
    get status() {
      return answer.statusCode ?? 0;
    },
    isOver: () => isOver,
    leave: () => answer.destroy(),
    async reconnect() {
      const before = answer;
      // A disconnected client does not receive data that is still in flight.
      before.removeAllListeners("data").destroy();
      isOver = false;
      await connect();
    },
    received: (name) => until(`the event ${name}`, () => events.find(({ event }) => event === name)),
  };
}

/** Parses a block of a stream: an event, a comment or a setting. */
function parseEvent(part: string): StreamEvent[] {
  const fields = new Map(
    part.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
  );
  const event = fields.get("event");
  return event === undefined ? [] : [{ id: fields.get("id") ?? "", event, data: fields.get("data") ?? "" }];
}
