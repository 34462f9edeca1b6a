// Timers that a test fires itself: only those that the test sets. Objects of other tests run in the
// same isolate, and a timer of theirs that fires from here may not do I/O.
import { AsyncLocalStorage } from "node:async_hooks";
import { vi } from "vitest";

const ours = new AsyncLocalStorage<true>();

/** Runs a test with faked timers, which it fires by `vi.advanceTimersByTimeAsync`. */
export async function withFakedTimers(run: () => Promise<void>): Promise<void> {
  const real = { setTimeout, setInterval, clearTimeout, clearInterval };
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
  const faked = { setTimeout, setInterval, clearTimeout, clearInterval };
  const ids = new Set<unknown>();
  const set = (name: "setTimeout" | "setInterval") => (callback: () => void, ms?: number) => {
    if (!ours.getStore()) return real[name](callback, ms);
    const id = faked[name](callback, ms);
    ids.add(id);
    return id;
  };
  const clear = (name: "clearTimeout" | "clearInterval") => (id: never) => (ids.has(id) ? faked : real)[name](id);
  Object.assign(globalThis, {
    setTimeout: set("setTimeout"),
    setInterval: set("setInterval"),
    clearTimeout: clear("clearTimeout"),
    clearInterval: clear("clearInterval"),
  });
  try {
    await ours.run(true, run);
  } finally {
    vi.useRealTimers();
  }
}
