// The keys of the whole console, outside fields, and what of the palette fits a text.

type PageCommand = "inbox" | "sessions" | "projects" | "activity" | "crons" | "account";
export type Command =
  | "find"
  | "help"
  | "new"
  | PageCommand
  | "next"
  | "previous"
  | "point"
  | "viewed"
  | "region"
  | "region-before";

export interface Stroke {
  key: string;
  /** True with Control, Alt or Command. */
  isModified: boolean;
  /** True with only Control or Command. */
  isCommand: boolean;
  isShift: boolean;
  /** True where the person types into something. */
  isInField: boolean;
  /** True while a dialog is open, which keeps the focus. */
  isInDialog: boolean;
}

const pages: Record<string, PageCommand> = {
  i: "inbox",
  s: "sessions",
  o: "projects",
  a: "activity",
  c: "crons",
  p: "account",
};
const singles: Record<string, Command> = {
  n: "new",
  "?": "help",
  "/": "find",
  j: "next",
  k: "previous",
  e: "point",
  v: "viewed",
};

const lookUp = (table: Record<string, Command>, key: string): Command | null =>
  Object.hasOwn(table, key) ? (table[key] ?? null) : null;

/**
 * What a stroke means, and whether it was the `g` that another letter follows. A person may have
 * switched single keys off.
 */
export function readStroke(
  { key, isModified, isCommand, isShift, isInField, isInDialog }: Stroke,
  isAfterG: boolean,
  hasSingles = true,
): { command: Command | null; isG: boolean } {
  if (isCommand && key.toLowerCase() === "k") return { command: "find", isG: false };
  if (key === "F6" && !isModified && !isInDialog) return { command: isShift ? "region-before" : "region", isG: false };
  if (isModified || isInField || isInDialog || !hasSingles) return { command: null, isG: false };
  if (isAfterG) return { command: lookUp(pages, key), isG: false };
  return { command: lookUp(singles, key), isG: key === "g" };
}

/** The place of the next of so many regions; `at` is where the focus is, -1 for nowhere. */
export function findNextRegion(count: number, at: number, step: 1 | -1): number {
  if (at === -1) return step === 1 ? 0 : count - 1;
  return (at + step + count) % count;
}

/** All keys, for the help. */
export const keyWords: [keys: string, word: string][] = [
  ["⌘K, Ctrl-K or /", "Find a session or do something"],
  ["n", "New session"],
  ["g i", "Inbox"],
  ["g s", "Sessions"],
  ["g o", "Projects"],
  ["g a", "Activity"],
  ["g c", "Crons"],
  ["g p", "Your account"],
  ["j, k", "The next, the previous row of a list"],
  ["[, ]", "The previous, the next turn of a conversation"],
  ["1 to 4", "Choose an option of the question"],
  ["Alt-1 to Alt-6", "Open a panel"],
  ["c", "In Changes: comment on the chosen lines"],
  ["v", "In Changes: mark the file as viewed, or not"],
  ["F6, Shift-F6", "The next, the previous region of the page"],
  ["e", "Point at an element of the preview"],
  ["Enter", "Send the message, or put it into Up next"],
  ["⌘⇧Enter or Ctrl-Shift-Enter", "Steer the running turn"],
  ["⌘. or Ctrl-.", "Stop the turn"],
  ["↑", "In an empty message: edit your last one in Up next"],
  ["Alt-↑, Alt-↓", "Move a message in Up next"],
  ["?", "These keys"],
];

/** True if every word that was typed begins a word of the text. */
export function matchWords(typed: string, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== "")
    .every((part) => words.some((word) => word.startsWith(part)));
}
