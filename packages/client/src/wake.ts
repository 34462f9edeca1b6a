// What the runtime says about the network and about sleep. All of it is optional: Node and workerd
// have neither pages nor a network state.

/** The parts of a page that are used, where there is a page. */
interface Page {
  navigator?: { onLine?: boolean };
  document?: EventTarget & { visibilityState?: string };
  addEventListener?(type: string, listener: () => void): void;
  removeEventListener?(type: string, listener: () => void): void;
}

export interface Wake {
  /** False only where the runtime knows that there is no network. */
  isOnline(): boolean;
  stop(): void;
}

const page = globalThis as Page;
const lookEveryMs = 5_000;
/** A timer that is this much late slept with its machine, and every connection is dead. */
const lateMs = 20_000;

/**
 * Calls `retry` when the network or the page comes back, and `slept` when the machine was asleep,
 * which no event says.
 */
export function createWake(retry: () => void, slept: () => void, now: () => number = Date.now): Wake {
  const whenVisible = () => {
    if (page.document?.visibilityState === "visible") retry();
  };
  // Only a browser knows its network. Other runtimes may have listeners, but for other events.
  const browser = typeof page.navigator?.onLine === "boolean" ? page : null;
  browser?.addEventListener?.("online", retry);
  browser?.addEventListener?.("pageshow", retry);
  browser?.document?.addEventListener("visibilitychange", whenVisible);
  let lookedAt = now();
  const timer = setInterval(() => {
    const isLate = now() - lookedAt > lookEveryMs + lateMs;
    lookedAt = now();
    if (isLate) slept();
  }, lookEveryMs);
  return {
    isOnline: () => page.navigator?.onLine !== false,
    stop() {
      clearInterval(timer);
      browser?.removeEventListener?.("online", retry);
      browser?.removeEventListener?.("pageshow", retry);
      browser?.document?.removeEventListener("visibilitychange", whenVisible);
    },
  };
}
