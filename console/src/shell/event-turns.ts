// Streams of events that take turns. Over HTTP/1.1 a browser has six connections for all windows
// of a service, and each window that shows a session keeps one open. Here they share three, so that
// requests have the others. A stream whose turn is over continues after its last event with its
// next turn, so its reader notices nothing but a delay. The window that a person uses comes first.
import { useSyncExternalStore } from "react";
import { wait } from "../wait.ts";

const lineNames = [1, 2, 3].map((line) => `switchyard-line ${line}`);
/** Gives way to the window that a person uses, which keeps it. */
const firstLine = "switchyard-line 1";
/** That window has this lock while it waits. */
const hurryName = "switchyard-line hurry";
/** How long a stream keeps its line while another one waits. */
const turnMs = 2_000;
/** The same in the window that a person uses. */
const focusedTurnMs = 10_000;
const lookEveryMs = 250;

/** The stream of all workspaces has a line of its own, which all windows share. */
const sharedPath = "/api/events";

interface Line {
  name: string;
  release: () => void;
}

/** The events of one turn. */
interface Turn {
  /** Resolves with whole events; with null when the connection has ended. */
  read: () => Promise<string | null>;
  /** True if another stream has the line now. */
  isOver: () => boolean;
  end: () => void;
}

let waitingCount = 0;
const listeners = new Set<() => void>();

function countWaiting(change: 1 | -1): void {
  waitingCount += change;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** True while a stream of this window waits for other windows. */
export const useIsWaitingForTurn = () => useSyncExternalStore(subscribe, () => waitingCount > 0);

/** Fetches as the browser does. Streams of events take turns where connections are few. */
export async function fetchInTurns(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const isStream = headers.get("accept") === "text/event-stream" && new URL(String(input)).pathname !== sharedPath;
  if (!isStream || !mustShare()) return await fetch(input, init);
  const connect = () => startTurn(() => fetch(input, { ...init, headers }), init.signal ?? null);
  let { response, turn } = await connect();
  if (turn === null) return response;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (turn !== null) {
        const events = await turn.read();
        if (events !== null) {
          const lastId = [...events.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
          if (lastId !== undefined) headers.set("last-event-id", lastId);
          return controller.enqueue(encoder.encode(events));
        }
        // If the next turn is refused, the reader connects again and gets the reason.
        turn = turn.isOver() ? (await connect()).turn : null;
      }
      controller.close();
    },
    cancel: () => turn?.end(),
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

/** HTTP/2 and later have one connection for everything. A page of an unsafe origin has no locks. */
function mustShare(): boolean {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigator.locks !== undefined && !/^h[23]/.test(page?.nextHopProtocol ?? "");
}

/** Connects when a line is free. The turn is null if the response is no stream. */
async function startTurn(
  connect: () => Promise<Response>,
  leaving: AbortSignal | null,
): Promise<{ response: Response; turn: Turn | null }> {
  const line = await takeLine(leaving);
  const startedAt = performance.now();
  let isOver = false;
  const response = await connect().catch((error: unknown) => {
    line.release();
    throw error;
  });
  if (!response.ok || !response.body) {
    line.release();
    return { response, turn: null };
  }
  const chunks = response.body.getReader();
  const end = () => {
    clearInterval(timer);
    leaving?.removeEventListener("abort", end);
    // A connection that has failed is over, too.
    chunks
      .cancel()
      .catch(() => {})
      .finally(line.release);
  };
  const timer = setInterval(async () => {
    if (isOver || !(await mustGiveWay(line, performance.now() - startedAt))) return;
    if (isOver) return;
    isOver = true;
    end();
  }, lookEveryMs);
  leaving?.addEventListener("abort", end);
  const decoder = new TextDecoder();
  let rest = "";

  async function read(): Promise<string | null> {
    try {
      for (;;) {
        const { done, value } = await chunks.read();
        if (done) break;
        rest += decoder.decode(value, { stream: true });
        const length = rest.lastIndexOf("\n\n") + 2;
        if (length < 2) continue;
        const events = rest.slice(0, length);
        rest = rest.slice(length);
        return events;
      }
    } catch (error) {
      end();
      throw error;
    }
    if (!isOver) end();
    return null;
  }

  return { response, turn: { read, isOver: () => isOver, end } };
}

/** Waits for any of the lines. */
function takeLine(leaving: AbortSignal | null): Promise<Line> {
  const taken = new AbortController();
  const signal = leaving ? AbortSignal.any([leaving, taken.signal]) : taken.signal;
  countWaiting(1);
  signal.addEventListener("abort", () => countWaiting(-1), { once: true });
  const isHurrying = hurryWhileInFocus(signal);
  return new Promise((resolve, reject) => {
    /** Returns false if this window gives way, and waits again after those that wait now. */
    const take = async ({ name }: Lock): Promise<boolean> => {
      if (name === firstLine && !isHurrying() && (await isInUse(hurryName))) return false;
      // Two lines may become free at the same time.
      if (!signal.aborted) {
        taken.abort();
        await new Promise<void>((release) => resolve({ name, release }));
      }
      return true;
    };
    const ask = async (name: string) => {
      while (!signal.aborted) {
        if (await navigator.locks.request(name, { signal }, (lock) => lock === null || take(lock))) return;
        await wait(lookEveryMs);
      }
    };
    for (const name of lineNames) ask(name).catch(reject);
  });
}

/** Has the first line give way to this window while it has the focus, and returns if it does. */
function hurryWhileInFocus(waiting: AbortSignal): () => boolean {
  let isHurrying = false;
  const hurry = () => {
    const left = new AbortController();
    const signal = AbortSignal.any([waiting, left.signal]);
    const over = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    const leave = () => {
      isHurrying = false;
      left.abort();
    };
    isHurrying = true;
    addEventListener("blur", leave, { once: true, signal: waiting });
    // The lock is left before it came.
    navigator.locks.request(hurryName, { signal }, () => over).catch(() => {});
  };
  addEventListener("focus", hurry, { signal: waiting });
  if (document.hasFocus()) hurry();
  return () => isHurrying;
}

async function isInUse(lockName: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === lockName);
}

/** True if the turn of a stream is over, after so many milliseconds. */
async function mustGiveWay({ name }: Line, ms: number): Promise<boolean> {
  const isInFocus = document.hasFocus();
  if (name === firstLine && isInFocus) return false;
  if (name === firstLine && (await isInUse(hurryName))) return true;
  if (ms < (isInFocus ? focusedTurnMs : turnMs)) return false;
  const { pending = [] } = await navigator.locks.query();
  return pending.some((request) => request.name === name);
}
