// The lines over which events come to this page: of the lists, and of the chat that it shows.
import type { LineState } from "@switchyard/client";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useIsWaitingForTurn } from "./event-turns.ts";
import { findWorstLine, type KnownLines, type WorstLine } from "./words.ts";

let known: KnownLines = {};
let isOnline = navigator.onLine;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const notify = () => {
  for (const listener of listeners) listener();
};

/** Records the state of a line; null when the page has it no longer. */
export function recordLine(name: keyof KnownLines, state: LineState | null): void {
  const { [name]: before, ...others } = known;
  if (before?.state === state || (!before && state === null)) return;
  const wasLive = state === "live" || (before?.wasLive ?? false);
  // The line of the lists comes back when the page is looked at again.
  if (state !== null) known = { ...known, [name]: { state, wasLive } };
  else known = name === "lists" && before ? { ...others, lists: { state: null, wasLive } } : others;
  notify();
}

/**
 * A line says nothing of a lost network before it has been silent for a while; the browser does.
 */
function lookAtNetwork(): void {
  isOnline = navigator.onLine;
  notify();
}
addEventListener("online", lookAtNetwork);
addEventListener("offline", lookAtNetwork);

const longWaitMs = 1_000;

/** True once a stream of this window has waited for other windows for a while. */
export function useIsKeptWaiting(): boolean {
  const isWaiting = useIsWaitingForTurn();
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    setIsLong(false);
    if (!isWaiting) return;
    const timer = setTimeout(() => setIsLong(true), longWaitMs);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return isWaiting && isLong;
}

/** How live the page is; null before that is known. */
export function useWorstLine(): WorstLine | null {
  const lines = useSyncExternalStore(subscribe, () => known);
  const online = useSyncExternalStore(subscribe, () => isOnline);
  const isWaiting = useIsKeptWaiting();
  return findWorstLine(lines, { isOnline: online, isWaiting });
}
