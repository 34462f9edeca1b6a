// A service whose streams are written down: each connection sends its parts, and then ends, breaks
// or falls silent. It is given to the library as its `fetch`. Time is the test's.
import { vi } from "vitest";
import type { Settings } from "../../../packages/client/src/http.ts";

export interface Connection {
  /** The parts of the stream; a number is a pause in milliseconds. */
  parts?: (string | Uint8Array<ArrayBuffer> | number)[];
  ends?: "end" | "cut" | "silence";
  /** Another status, with its headers. Nothing at all comes with 0. */
  status?: number;
  headers?: Record<string, string>;
}

export interface ScriptedStream {
  settings: Settings;
  /** The Last-Event-ID of each connection. */
  lastEventIds: (string | null)[];
  keys: (string | null)[];
  /** When each connection was made, in milliseconds of the test's time. */
  times: number[];
  /** How many connections are open. */
  open(): number;
}

const encoder = new TextEncoder();

/** Creates the service; a connection may depend on its Last-Event-ID. The last one is repeated. */
export function scriptedStream(
  ...connections: (Connection | ((lastEventId: string | null) => Connection))[]
): ScriptedStream {
  const stream: ScriptedStream = {
    settings: { baseUrl: "https://service.test", apiKey: "svc_key_test", fetch: connect },
    lastEventIds: [],
    keys: [],
    times: [],
    open: () => openCount,
  };
  let openCount = 0;
  async function connect(_: unknown, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const lastEventId = headers.get("last-event-id");
    const next = connections[Math.min(stream.times.length, connections.length - 1)] ?? {};
    const {
      parts = [],
      ends = "end",
      status = 200,
      headers: given = {},
    } = typeof next === "function" ? next(lastEventId) : next;
    stream.lastEventIds.push(lastEventId);
    stream.keys.push(headers.get("authorization"));
    stream.times.push(Date.now());
    const { signal } = init;
    if (status === 0)
      return await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    if (status !== 200)
      return new Response(status === 204 ? null : '{"error":"No.","code":"NO"}', { status, headers: given });
    openCount += 1;
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        signal?.addEventListener("abort", () => {
          openCount -= 1;
          // A stream that has ended cannot break.
          try {
            controller.error(signal.reason);
          } catch {}
        });
        for (const part of parts) {
          if (typeof part === "number") await new Promise((resolve) => setTimeout(resolve, part));
          else controller.enqueue(typeof part === "string" ? encoder.encode(part) : part);
        }
        if (ends === "end") controller.close();
        // What is read already stays read: the break comes after it.
        if (ends === "cut") setTimeout(() => controller.error(new TypeError("terminated")), 1);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream", ...given } });
  }
  return stream;
}

/** Lets the test's time pass until a promise is settled. */
export async function passTime<Value>(promise: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  while (!isSettled) await vi.advanceTimersByTimeAsync(250);
  return await settled;
}
