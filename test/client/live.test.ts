// The live line against a service that cuts, falls silent, ends, refuses and sleeps.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createHttp } from "../../packages/client/src/http.ts";
import { type LineOptions, type LineState, listLiveEvents, type RawEvent } from "../../packages/client/src/live.ts";
import { listStates } from "../../packages/client/src/states.ts";
import { Queued } from "../../packages/client/src/turn.ts";
import { passTime, type ScriptedStream, scriptedStream } from "./support/scripted-stream.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const operation = "GET /api/streams/{streamId}";
const input = { path: { streamId: "turn" } };
const isLast = ({ type }: RawEvent) => type === "end";

function follow(service: ScriptedStream, options: LineOptions = {}, settings = service.settings) {
  return listLiveEvents(createHttp(settings), operation, input, options, isLast);
}

async function collect(events: AsyncIterable<RawEvent>): Promise<RawEvent[]> {
  const all: RawEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const formatEvent = ({ id, type, data }: RawEvent, newline = "\n") =>
  [`id: ${id}`, `event: ${type}`, `data: ${JSON.stringify(data)}`, "", ""].join(newline);

const events: RawEvent[] = [
  { id: "1", type: "job", data: { job: { id: "turn" } } },
  { id: "2", type: "delta", data: { delta: "Grüße, 😀 „Board“" } },
  { id: "3", type: "end", data: { jobId: "turn" } },
];
const whole = (newline?: string) => `retry: 700\n\n${events.map((event) => formatEvent(event, newline)).join("")}`;

/** A service that breaks after some bytes, and continues after the last event that was received. */
const cutAt = (bytes: Uint8Array<ArrayBuffer>, at: number, newline?: string) =>
  scriptedStream({ parts: [bytes.slice(0, at)], ends: "cut" }, (lastEventId) => {
    const rest = events.filter(({ id }) => Number(id) > Number(lastEventId));
    return rest.length === 0 ? { status: 204 } : { parts: [rest.map((event) => formatEvent(event, newline)).join("")] };
  });

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
])("a line that is cut at any byte brings every event once, with %s", async (_, newline) => {
  const bytes = new Uint8Array(new TextEncoder().encode(whole(newline)));
  const lines = Array.from({ length: bytes.length }, async (_, at) => {
    return await collect(follow(cutAt(bytes, at, newline)));
  });
  const received = await passTime(Promise.all(lines));
  expect(received).toEqual(Array.from({ length: bytes.length }, () => events));
});

test("an event without an id has none, and the line continues after the last id that came", async () => {
  const output = { id: null, type: "output", data: { text: "Done." } };
  const piece = `event: output\ndata: ${JSON.stringify(output.data)}\n\n`;
  const [one, ...others] = events.map((event) => formatEvent(event));
  const service = scriptedStream({ parts: [one ?? "", piece, piece, "id: 1.5\n\n", piece] }, { parts: others });
  expect(await passTime(collect(follow(service)))).toEqual([events[0], output, output, output, ...events.slice(1)]);
  expect(service.lastEventIds).toEqual([null, "1.5"]);
});

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
])("parts of one byte are read as one stream, with %s", async (_, newline) => {
  const parts = [...new TextEncoder().encode(whole(newline))].map((byte) => Uint8Array.of(byte));
  expect(await passTime(collect(follow(scriptedStream({ parts }))))).toEqual(events);
});

test("a line of 8 MiB is read", async () => {
  const long = { id: "1", type: "block", data: { output: "x".repeat(8 * 2 ** 20) } };
  const text = formatEvent(long);
  const parts = Array.from({ length: Math.ceil(text.length / 65_536) }, (_, at) =>
    text.slice(at * 65_536, (at + 1) * 65_536),
  );
  const last = { id: "2", type: "end", data: {} };
  expect(await passTime(collect(follow(scriptedStream({ parts: [...parts, formatEvent(last)] }))))).toEqual([
    long,
    last,
  ]);
});

const [first, , last] = events.map((event) => formatEvent(event));
const rest = {
  parts: [
    events
      .slice(1)
      .map((event) => formatEvent(event))
      .join(""),
  ],
};

test("after a clean end it comes back when the service said, with the last id", async () => {
  const service = scriptedStream({ parts: ["retry: 700\n\n", first ?? ""] }, rest);
  expect(await passTime(collect(follow(service)))).toEqual(events);
  expect(service.lastEventIds).toEqual([null, "1"]);
  expect(service.times).toEqual([0, 700]);
});

test("a service without a byte for 40 s is connected again; heartbeats are bytes", async () => {
  const beats = Array.from({ length: 6 }, () => [15_000, ":\n\n"]).flat();
  const service = scriptedStream({ parts: [first ?? "", ...beats], ends: "silence" }, rest);
  expect(await passTime(collect(follow(service)))).toEqual(events);
  const [, again = 0] = service.times;
  expect(again).toBeGreaterThanOrEqual(6 * 15_000 + 40_000);
  expect(again).toBeLessThan(6 * 15_000 + 41_000);
});

test("a slow reader is not a silent service", async () => {
  const service = scriptedStream({ parts: [first ?? "", 1, rest.parts[0] ?? ""] });
  const received: RawEvent[] = [];
  const reading = (async () => {
    for await (const event of follow(service)) {
      received.push(event);
      await new Promise((resolve) => setTimeout(resolve, 120_000));
    }
  })();
  await passTime(reading);
  expect(received).toEqual(events);
  expect(service.times.length).toBe(1);
});

test("a connection without a response for 20 s is tried again", async () => {
  const service = scriptedStream({ status: 0 }, { parts: [whole()] });
  expect(await passTime(collect(follow(service)))).toEqual(events);
  expect(service.times[1]).toBeGreaterThanOrEqual(20_000);
});

test("a service that has no more is over", async () => {
  const service = scriptedStream({ status: 204 });
  expect(await passTime(collect(follow(service, { lastEventId: "3" })))).toEqual([]);
  expect(service.lastEventIds).toEqual(["3"]);
});

test.each([401, 403, 404, 410])("a %i is thrown", async (status) => {
  const states: LineState[] = [];
  const service = scriptedStream({ status });
  const line = follow(service, { onLine: (state) => states.push(state) });
  await expect(passTime(collect(line))).rejects.toMatchObject({ status });
  expect(states).toEqual(["connecting", "refused"]);
  expect(service.times.length).toBe(1);
});

test("a key from a function is asked for once more after a 401, and again after an event", async () => {
  const keys = ["one", "two", "three", "four"];
  const service = scriptedStream({ status: 401 }, { parts: [first ?? ""] }, { status: 401 }, { status: 401 });
  const line = follow(service, {}, { ...service.settings, apiKey: () => keys.shift() ?? "none" });
  await expect(passTime(collect(line))).rejects.toMatchObject({ status: 401 });
  expect(service.keys).toEqual(["one", "two", "three", "four"].map((key) => `Bearer ${key}`));
});

test("a 429 is waited for as long as the service says", async () => {
  const service = scriptedStream({ status: 429, headers: { "retry-after": "7" } }, { parts: [whole()] });
  expect(await passTime(collect(follow(service)))).toEqual(events);
  expect(service.times).toEqual([0, 7_000]);
});

test("failures are waited for longer and longer, until an event comes", async () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const down = { status: 503 };
  const service = scriptedStream(down, down, down, { parts: [first ?? ""], ends: "cut" }, rest);
  expect(await passTime(collect(follow(service)))).toEqual(events);
  const gaps = service.times.slice(1).map((time, index) => time - (service.times[index] ?? 0));
  expect(gaps).toEqual([500, 1_000, 2_000, 501]);
  vi.restoreAllMocks();
});

test("a page of something in between is no stream", async () => {
  const page = { headers: { "content-type": "text/html" }, parts: ["<p>Sign in to the network</p>"] };
  expect(await passTime(collect(follow(scriptedStream(page, { parts: [whole()] }))))).toEqual(events);
});

test("a machine that slept connects immediately, whatever its line says", async () => {
  const service = scriptedStream({ parts: [first ?? ""], ends: "silence" }, { parts: [rest.parts[0] ?? ""] });
  const received = collect(follow(service));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(service.open()).toBe(1);
  vi.setSystemTime(Date.now() + 3_600_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(service.times.length).toBe(2);
  expect(await passTime(received)).toEqual(events);
});

test("the states of a line are reported", async () => {
  const states: LineState[] = [];
  const service = scriptedStream({ parts: [first ?? ""] }, rest);
  await passTime(collect(follow(service, { onLine: (state) => states.push(state) })));
  expect(states).toEqual(["connecting", "live", "waiting", "connecting", "live"]);
});

test("a signal ends the line with its reason, and closes the connection", async () => {
  const service = scriptedStream({ parts: [first ?? ""], ends: "silence" });
  const controller = new AbortController();
  const failure = collect(follow(service, { signal: controller.signal })).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1_000);
  controller.abort("enough");
  expect(await passTime(failure)).toBe("enough");
  expect(service.open()).toBe(0);
});

test("a reader that leaves closes the connection and stops its timers", async () => {
  const service = scriptedStream({ parts: [first ?? ""], ends: "silence" });
  for await (const event of follow(service)) {
    expect(event).toEqual(events[0]);
    break;
  }
  expect(service.open()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
  expect(last).toContain("end");
});

/** The settings of a service that also answers reads, by the ends of their paths. */
function withReads({ settings }: ScriptedStream, read: () => Record<string, object>) {
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const data = read()[new URL(String(url)).pathname.split("/").at(-1) ?? ""];
    return data ? Response.json({ data }) : await (settings.fetch ?? globalThis.fetch)(url, init);
  };
  return createHttp({ ...settings, fetch });
}

const session = { projectId: "p", sessionId: "s" };

test("states that are read again after a reset end the line before", async () => {
  const reset = formatEvent({ id: "1", type: "reset", data: {} });
  const more = formatEvent({ id: "2", type: "pull_request", data: {} });
  // Both are in one part, so the line still has an event when the state becomes stale.
  const service = scriptedStream({ parts: [reset + more], ends: "silence" }, { ends: "silence" });
  const queue = { messages: [], paused: false };
  const http = withReads(service, () => ({ messages: { messages: [] }, queue, chat: [], s: { session: { id: "s" } } }));
  const reading = (async () => {
    for await (const _ of listStates(http, session, {})) if (service.times.length > 1) break;
  })();
  await passTime(reading);
  expect(service.open()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

describe("a message that waits Up next", () => {
  const message = { id: "q", position: 0, version: 1, editingBy: null };
  /** What a read of the queue and of the conversation shows, one second after the other. */
  type Shown = { queue: { messages: object[]; steers?: { steerId: string }[] }; sent: boolean };
  const waiting: Shown = { queue: { messages: [message] }, sent: false };
  const steered: Shown = { queue: { messages: [], steers: [{ steerId: "other" }] }, sent: false };
  const taken: Shown = { queue: { messages: [] }, sent: true };
  const gone: Shown = { queue: { messages: [] }, sent: false };

  const findTurn = async (...seconds: Shown[]) => {
    const parts = seconds.flatMap(({ queue: { messages, steers } }, at) => {
      const data = { messages, ...(steers && { steers: steers.map(({ steerId }) => steerId) }) };
      return [formatEvent({ id: String(at + 1), type: "queue", data }), 1_000];
    });
    const service = scriptedStream({ parts, ends: "silence" });
    const http = withReads(service, () => {
      const { queue, sent } = seconds[Math.min(Math.floor(Date.now() / 1_000), seconds.length - 1)] ?? gone;
      return { queue, messages: { messages: sent ? [{ id: "q", jobId: "turn" }] : [] } };
    });
    return (await passTime(new Queued(http, session, "q").turn()))?.id ?? null;
  };

  test("has no turn once it is deleted", async () => {
    expect(await findTurn(waiting, gone)).toBeNull();
  });

  test("is not deleted while it may be a steer that no turn has taken", async () => {
    expect(await findTurn(waiting, steered, taken)).toBe("turn");
    expect(await findTurn(waiting, steered, waiting, taken)).toBe("turn");
    expect(await findTurn(waiting, steered, gone)).toBeNull();
  });
});
