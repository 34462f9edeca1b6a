// Streams of events over few connections: they take turns, and no reader misses an event.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fetchInTurns } from "../../console/src/shell/event-turns.ts";

const turnMs = 2_500;
const address = (name: string) => `https://service.example/api/${name}/events`;

/** The locks of a browser: each has one holder, and the others wait in their order. */
function createLocks() {
  const held = new Set<string>();
  let pending: { name: string; grant: () => void }[] = [];
  return {
    request(name: string, { signal }: { signal: AbortSignal }, hold: (lock: { name: string }) => unknown) {
      return new Promise<unknown>((resolve, reject) => {
        const grant = async () => {
          held.add(name);
          const result = await hold({ name });
          held.delete(name);
          const next = pending.find((one) => one.name === name);
          pending = pending.filter((one) => one !== next);
          next?.grant();
          resolve(result);
        };
        const waiting = { name, grant };
        signal.addEventListener("abort", () => {
          if (!pending.includes(waiting)) return;
          pending = pending.filter((one) => one !== waiting);
          reject(signal.reason);
        });
        if (signal.aborted) reject(signal.reason);
        else if (held.has(name)) pending.push(waiting);
        else grant();
      });
    },
    query: async () => ({ pending: [...pending], held: [...held].map((name) => ({ name })) }),
  };
}

interface Connection {
  url: string;
  lastEventId: string | null;
  isCancelled: boolean;
  send: (text: string) => void;
}

let connections: Connection[];
let status: number;
let isInFocus: boolean;
let focusOfWindow: EventTarget;
/** Ends what still waits after a test. */
let closing: AbortController;

beforeEach(() => {
  closing = new AbortController();
  connections = [];
  status = 200;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  vi.stubGlobal("navigator", { locks: createLocks() });
  isInFocus = false;
  vi.stubGlobal("document", { hasFocus: () => isInFocus });
  focusOfWindow = new EventTarget();
  vi.stubGlobal("addEventListener", focusOfWindow.addEventListener.bind(focusOfWindow));
  vi.stubGlobal("fetch", async (url: string, { headers }: RequestInit) => {
    const lastEventId = new Headers(headers).get("last-event-id");
    const connection: Connection = { url, lastEventId, isCancelled: false, send: () => {} };
    connections.push(connection);
    const body = new ReadableStream({
      start(controller) {
        connection.send = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
      cancel() {
        connection.isCancelled = true;
      },
    });
    return new Response(status === 200 ? body : "No.", { status });
  });
});
afterEach(() => {
  closing.abort();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Opens a stream, and collects what it brings. */
async function follow(name: string, signal = closing.signal) {
  const init = { headers: { accept: "text/event-stream" }, signal };
  const { body } = await fetchInTurns(address(name), init);
  const stream = { text: "", isDone: false };
  const collect = async () => {
    for await (const chunk of body ?? []) stream.text += new TextDecoder().decode(chunk);
    stream.isDone = true;
  };
  void collect().catch(() => {});
  return stream;
}

const urls = () => connections.map(({ url }) => url);

test("three streams keep their connections; a fourth waits until a turn is over, and both bring every event", async () => {
  const first = await follow("a");
  for (const name of ["b", "c"]) await follow(name);
  const fourth = follow("d");
  connections[0]?.send("id: 7\ndata: {}\n\nid: 8\nda");
  await vi.waitFor(() => expect(first.text).toBe("id: 7\ndata: {}\n\n"));
  expect(urls()).toEqual(["a", "b", "c"].map(address));
  await vi.advanceTimersByTimeAsync(turnMs);
  await fourth;
  expect(urls()).toContain(address("d"));
  await vi.advanceTimersByTimeAsync(turnMs);
  const again = await vi.waitFor(() => {
    const found = connections.slice(1).find(({ url, isCancelled }) => url === address("a") && !isCancelled);
    expect(found).toBeDefined();
    return found as Connection;
  });
  // The half of an event that had come is not given to the reader.
  expect([connections[0]?.isCancelled, again.lastEventId, first.text]).toEqual([true, "7", "id: 7\ndata: {}\n\n"]);
  again.send("id: 8\ndata: {}\n\n");
  await vi.waitFor(() => expect(first.text).toBe("id: 7\ndata: {}\n\nid: 8\ndata: {}\n\n"));
});

test("a stream keeps its connection while no other one waits", async () => {
  for (const name of ["a", "b", "c"]) await follow(name);
  await vi.advanceTimersByTimeAsync(10 * turnMs);
  expect(connections.map(({ isCancelled }) => isCancelled)).toEqual([false, false, false]);
});

test("a reader that leaves, also while it waits, leaves its line to others", async () => {
  const leaving = new AbortController();
  await follow("a", leaving.signal);
  for (const name of ["b", "c"]) await follow(name);
  const gone = new AbortController();
  const waiting = follow("gone", gone.signal);
  gone.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
  const next = follow("d");
  leaving.abort();
  await next;
  expect(urls()).toEqual(["a", "b", "c", "d"].map(address));
});

test("a refusal is answered as it is, and one of a later turn ends the stream", async () => {
  status = 403;
  const refused = await fetchInTurns(address("a"), { headers: { accept: "text/event-stream" } });
  expect([refused.status, await refused.text()]).toEqual([403, "No."]);
  status = 200;
  const streams: Awaited<ReturnType<typeof follow>>[] = [];
  for (const name of ["a", "b", "c"]) streams.push(await follow(name));
  const fourth = follow("d");
  status = 401;
  await vi.advanceTimersByTimeAsync(turnMs);
  await fourth;
  await vi.advanceTimersByTimeAsync(turnMs);
  await vi.waitFor(() => expect(streams.some(({ isDone }) => isDone)).toBe(true));
});

test("what is no stream, and the stream of all workspaces, takes no turn", async () => {
  for (const name of ["a", "b", "c"]) await follow(name);
  await fetchInTurns("https://service.example/api/user/profile");
  await fetchInTurns("https://service.example/api/events", { headers: { accept: "text/event-stream" } });
  expect(connections).toHaveLength(5);
});

/** Opens a stream that may never get its turn. */
function wait(name: string): void {
  follow(name).catch(() => {});
}

/** Opens a stream in the window that has the focus. All windows share one document here. */
function followInFocus(name: string) {
  isInFocus = true;
  const stream = follow(name);
  isInFocus = false;
  return stream;
}

test("the window that a person uses does not wait for the turns of others, nor for who waits already", async () => {
  for (const name of ["a", "b", "c"]) await follow(name);
  for (const name of ["d", "e"]) wait(name);
  const used = followInFocus("used");
  await vi.advanceTimersByTimeAsync(300);
  await used;
  expect(urls()).toEqual(["a", "b", "c", "used"].map(address));
  expect(connections.map(({ isCancelled }) => isCancelled)).toEqual([false, false, true, false]);
});

test("a window that is left before its turn waits as others do", async () => {
  for (const name of ["a", "b", "c"]) await follow(name);
  followInFocus("d").catch(() => {});
  focusOfWindow.dispatchEvent(new Event("blur"));
  await vi.advanceTimersByTimeAsync(300);
  expect(urls()).toEqual(["a", "b", "c"].map(address));
  await vi.advanceTimersByTimeAsync(turnMs);
  expect(urls()).toContain(address("d"));
});

test("a window in focus keeps the first line", async () => {
  isInFocus = true;
  for (const name of ["a", "b", "c"]) await follow(name);
  wait("d");
  await vi.advanceTimersByTimeAsync(10 * turnMs);
  expect(connections[0]?.isCancelled).toBe(false);
  expect(urls()).toContain(address("d"));
});
