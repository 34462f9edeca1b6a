// The keys of a terminal that the keyboards of phones lack.

/** The keys by what a button says, with the final character of an arrow's sequence. */
const arrows = { Left: "D", Up: "A", Down: "B", Right: "C" } as const;
const plain = { Esc: "\x1b", Tab: "\t" } as const;

export type ScreenKey = keyof typeof arrows | keyof typeof plain;

interface Modes {
  /** Ctrl was pressed before. */
  hasCtrl: boolean;
  /** The program has asked for the other sequences of arrows. */
  isApplication: boolean;
}

const isArrow = (key: ScreenKey): key is keyof typeof arrows => key in arrows;

/** What a key sends to the shell. */
export function encodeKey(key: ScreenKey, { hasCtrl, isApplication }: Modes): string {
  if (!isArrow(key)) return plain[key];
  if (hasCtrl) return `\x1b[1;5${arrows[key]}`;
  return `\x1b${isApplication ? "O" : "["}${arrows[key]}`;
}

/** The control character of a typed one; other text stays as it is. */
export function withCtrl(text: string): string {
  if (text === " ") return "\x00";
  return /^[@-_a-z]$/.test(text) ? String.fromCharCode(text.charCodeAt(0) & 0x1f) : text;
}
