// The keys of the whole console, outside fields, and what of the palette fits a text.

type PageCommand = "inbox" | "sessions" | "projects" | "activity" | "crons" | "account";
export type Command = "find" | "help" | "new" | PageCommand | "next" | "previous" | "point";

export interface Stroke {
  key: string;
  /** True with Control, Alt or Command. */
  isModified: boolean;
  /** True with only Control or Command. */
  isCommand: boolean;
  /** True where the person types into something. */
  isInField: boolean;
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
};

const lookUp = (table: Record<string, Command>, key: string): Command | null =>
  Object.hasOwn(table, key) ? (table[key] ?? null) : null;

/** What a stroke means, and whether it was the `g` that another letter follows. */
export function readStroke(
  { key, isModified, isCommand, isInField }: Stroke,
  isAfterG: boolean,
): { command: Command | null; isG: boolean } {
  if (isCommand && key.toLowerCase() === "k") return { command: "find", isG: false };
  if (isModified || isInField) return { command: null, isG: false };
  if (isAfterG) return { command: lookUp(pages, key), isG: false };
  return { command: lookUp(singles, key), isG: key === "g" };
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
  ["e", "Point at an element of the preview"],
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
