// A client of an event stream, as a page has one: it reads events as they come, and can go away and come back with the last id it saw.
import type { IncomingMessage } from "node:http";
import { answerTo } from "./http-exchange.ts";
import { until } from "./until.ts";

export interface StreamEvent {
  id: string;
  event: string;
  data: string;
}

export interface Stream {
  /** Every event so far, over all connections. */
  events: StreamEvent[];
  headers: IncomingMessage["headers"];
  status: number;
  isOver(): boolean;
  leave(): void;
  /** Goes away and comes back; whatever the last connection brought later is not looked at. */
  reconnect(): Promise<void>;
  /** Waits for an event of this name. */
  heard(event: string): Promise<StreamEvent>;
}

/** Opens a stream and waits until its answer begins. */
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
    const last = events.at(-1)?.id ?? lastEventId;
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
      events.push(...parts.flatMap(eventIn));
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
      // From here on nothing that is still on its way counts, as for a client that is gone.
      before.removeAllListeners("data").destroy();
      isOver = false;
      await connect();
    },
    heard: (name) => until(`the event ${name}`, () => events.find(({ event }) => event === name)),
  };
}

/** A part of a stream is an event, a comment or a setting. */
function eventIn(part: string): StreamEvent[] {
  const fields = new Map(
    part.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
  );
  const event = fields.get("event");
  return event === undefined ? [] : [{ id: fields.get("id") ?? "", event, data: fields.get("data") ?? "" }];
}
