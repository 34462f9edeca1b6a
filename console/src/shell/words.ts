// The words of the frame: how live the lists are, and the title of the document.
import type { LineState } from "@switchyard/client";

/** The state in words. A line that was never live is not said to be lost. */
export function describeLine(line: LineState, wasLive: boolean): string {
  switch (line) {
    case "live":
      return "Live";
    case "offline":
      return "Offline";
    case "refused":
      return "Not live";
    default:
      return wasLive ? "Reconnecting…" : "Connecting…";
  }
}

/** The title of a page, such as `(2) Inbox · Switchyard`. */
export function formatTitle(page: string | null, waiting: number): string {
  const name = page ? `${page} · Switchyard` : "Switchyard";
  return waiting > 0 ? `(${waiting}) ${name}` : name;
}
