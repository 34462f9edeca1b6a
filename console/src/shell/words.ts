// The words of the frame: how live the page is, and the title of the document.
import type { LineState } from "@switchyard/client";

interface KnownLine {
  /** Null for a line that the page does not have at present. */
  state: LineState | null;
  wasLive: boolean;
}

/** The lines of a page: of its lists, and of the chat that it shows, if it does. */
export interface KnownLines {
  lists?: KnownLine;
  chat?: KnownLine;
}

export interface WorstLine {
  isLive: boolean;
  /** True if something was live and is not. */
  isCut: boolean;
  word: string;
  /** What that means for the person. */
  explanation: string;
}

const asRead = "What you see is as it was read last.";
const names = { lists: "The lists", chat: "This conversation" };

/** Why a stream waits, where a browser has few connections. */
export const waitsForWindows = `This browser has few connections for all of its windows, so they take turns. ${asRead}`;

/**
 * Finds how live a page is: as live as its worst line. Null before that is known. A chat that
 * connects for the first time is being opened, and does not count.
 */
export function findWorstLine(
  { lists, chat }: KnownLines,
  { isOnline, isWaiting }: { isOnline: boolean; isWaiting: boolean },
): WorstLine | null {
  if (!isOnline)
    return { isLive: false, isCut: true, word: "Offline", explanation: `This browser has no network. ${asRead}` };
  if (!lists || lists.state === null) return null;
  const known = [
    ["lists", lists],
    ["chat", chat],
  ] as const;
  const counted = known.flatMap(([name, line]) =>
    line === undefined || line.state === null ? [] : [{ name, ...line, state: line.state }],
  );
  const isOpening = ({ name, state, wasLive }: (typeof counted)[number]) =>
    name === "chat" && state === "connecting" && !wasLive;
  const worst = counted.filter((line) => !isOpening(line)).sort((one, other) => rank(other.state) - rank(one.state))[0];
  if (worst && worst.state !== "live") {
    const { name, state, wasLive } = worst;
    const isCut = wasLive || state === "offline";
    return { isLive: false, isCut, word: describeLine(state, wasLive), explanation: explainLine(name, state) };
  }
  if (isWaiting) return { isLive: false, isCut: false, word: "Waiting…", explanation: waitsForWindows };
  return { isLive: true, isCut: false, word: "Live", explanation: "What you see changes as it happens." };
}

const ranks: readonly LineState[] = ["live", "connecting", "waiting", "refused", "offline"];
const rank = (state: LineState) => ranks.indexOf(state);

/** A line that was never live is not said to be lost. */
function describeLine(state: LineState, wasLive: boolean): string {
  if (state === "offline") return "Offline";
  if (state === "refused") return "Not live";
  return wasLive ? "Reconnecting…" : "Connecting…";
}

function explainLine(name: keyof KnownLines, state: LineState): string {
  if (state === "refused") return `${names[name]} cannot be followed. Load the page again. ${asRead}`;
  return `The connection of ${names[name].toLowerCase()} is down, and is tried again. ${asRead}`;
}

/** The title of a page, such as `(2) Inbox · Switchyard`. */
export function formatTitle(page: string | null, waiting: number): string {
  const name = page ? `${page} · Switchyard` : "Switchyard";
  return waiting > 0 ? `(${waiting}) ${name}` : name;
}
