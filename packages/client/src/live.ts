// A live line: server-sent events over fetch that continue after the last one, whatever cuts them.
// Its states: connecting, live, waiting. A line that is asleep is dead, and connects again.
import { readRefusal } from "./errors.ts";
import { createEventParser } from "./event-parser.ts";
import type { AnyInput, Http } from "./http.ts";
import { getBackoffMs } from "./retries.ts";
import { createWake } from "./wake.ts";

/** What a line is doing. `offline` waits without a network; `refused` is over, with an error. */
export type LineState = "connecting" | "live" | "waiting" | "offline" | "refused";

/** An event as it came, before anything is known about it. */
export interface RawEvent {
  /** Null for an event that the service does not repeat, such as `output`. */
  id: string | null;
  type: string;
  data: unknown;
}

export interface LineOptions {
  /** The id of the last event that is known. The events after it follow. */
  lastEventId?: string | null | undefined;
  signal?: AbortSignal | undefined;
  /** Is called with each state of the line. */
  onLine?: ((state: LineState) => void) | undefined;
}

/** Without a response for this long, a connection is tried again. */
const connectMs = 20_000;
/** Without a byte for this long, a connection is dead: a heartbeat comes every 15 seconds. */
const silentMs = 40_000;
/** Until the service says otherwise. */
const firstRetryMs = 1_000;

/** Why a connection is over: `over` is final, and the others are followed by the next one. */
type Ending = { type: "over" } | { type: "wait"; ms: number } | { type: "now" };

/**
 * Follows a stream until it is over. The stream is over when `isLast` says so of an event, when the
 * service has no more, or when the service refuses it.
 * @internal
 */
export async function* listLiveEvents(
  http: Http,
  operation: string,
  input: AnyInput,
  { lastEventId, signal, onLine }: LineOptions,
  isLast: (event: RawEvent) => boolean,
): AsyncGenerator<RawEvent, void, undefined> {
  let known = lastEventId ?? null;
  let failures = 0;
  let retryMs = firstRetryMs;
  let mayRenewKey = http.canRenewKey;
  /** What ends the present connection, and what ends the present pause. */
  let connection = new AbortController();
  let skipPause = () => {};
  const slept = () => {
    connection.abort("slept");
    skipPause();
  };
  const wake = createWake(() => skipPause(), slept);
  const stop = () => slept();
  signal?.addEventListener("abort", stop);

  const broken = (): Ending => {
    failures += 1;
    return connection.signal.reason === "slept" ? { type: "now" } : { type: "wait", ms: getBackoffMs(failures) };
  };

  /** Rejects when the connection is ended, also in a runtime whose reads do not. */
  function orEnded<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
    const { signal: ended } = connection;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => connection.abort("silent"), ms);
      const end = () => reject(ended.reason);
      ended.addEventListener("abort", end);
      if (ended.aborted) end();
      promise.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        ended.removeEventListener("abort", end);
      });
    });
  }

  /** One try of a connection: its response, or how it ended. Throws a refusal that is final. */
  async function connect(): Promise<Response | Ending> {
    const headers = { accept: "text/event-stream", ...(known === null ? {} : { "last-event-id": known }) };
    let response: Response;
    try {
      response = await orEnded(http.open(operation, { ...input, headers, signal: connection.signal }), connectMs);
    } catch {
      return broken();
    }
    if (response.status === 204) return { type: "over" };
    if (response.ok && /^text\/event-stream/.test(response.headers.get("content-type") ?? "")) return response;
    // A page of something in between is no stream.
    if (response.ok) return broken();
    const refusal = await readRefusal(response, operation);
    if (refusal.status === 401 && mayRenewKey) {
      mayRenewKey = false;
      return { type: "now" };
    }
    if (refusal.status === 429 && refusal.retryAfterMs !== null) return { type: "wait", ms: refusal.retryAfterMs };
    if (refusal.status === 429 || refusal.status >= 500) return broken();
    onLine?.("refused");
    throw refusal;
  }

  /** The events of one connection. */
  async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<RawEvent, Ending, undefined> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let events: { lastId: string | null; event: RawEvent }[] = [];
    const parse = createEventParser(
      ({ lastId, hasId, type, data }) =>
        events.push({ lastId, event: { id: hasId ? lastId : null, type, data: JSON.parse(data) } }),
      (ms) => {
        retryMs = ms;
      },
    );
    try {
      for (;;) {
        // Only the wait for bytes is timed. A slow consumer is not a silent service.
        const { done, value } = await orEnded(reader.read(), silentMs);
        if (done) return { type: "wait", ms: retryMs };
        parse(decoder.decode(value, { stream: true }));
        for (const { lastId, event } of events) {
          known = lastId || known;
          failures = 0;
          mayRenewKey = http.canRenewKey;
          yield event;
          if (isLast(event)) return { type: "over" };
        }
        events = [];
      }
    } catch {
      return broken();
    }
  }

  try {
    for (;;) {
      signal?.throwIfAborted();
      connection = new AbortController();
      onLine?.("connecting");
      const opened = await connect();
      let ending: Ending;
      if ("type" in opened && !(opened instanceof Response)) ending = opened;
      else {
        onLine?.("live");
        const { body } = opened as Response;
        ending = body ? yield* readEvents(body) : broken();
      }
      connection.abort("over");
      if (ending.type === "over") return;
      signal?.throwIfAborted();
      if (ending.type === "now") continue;
      onLine?.(wake.isOnline() ? "waiting" : "offline");
      const { ms } = ending;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        skipPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      skipPause = () => {};
    }
  } finally {
    connection.abort("over");
    wake.stop();
    signal?.removeEventListener("abort", stop);
  }
}
