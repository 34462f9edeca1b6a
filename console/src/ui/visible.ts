// Texts that somebody chose, with signs for what could make them look like other texts. A sign has
// the length of its character.
import { toVisible } from "@switchyard/client";

/** A name or a title: also line breaks and tabs are signs. */
export const toVisibleName = (text: string): string =>
  toVisible(text).replace(/[\n\t]/g, (one) => (one === "\n" ? "\u240a" : "\u2409"));

/** Lines of a file. The carriage return of a line that ends as Windows writes it is no sign. */
export const toVisibleCode = (text: string): string =>
  text
    .split(/(\r(?=\n|$))/)
    .map((part, at) => (at % 2 === 1 ? part : toVisible(part)))
    .join("");

export interface VisiblePart {
  text: string;
  /** The character that the text is the sign of; null for a text that is shown as it is. */
  hidden: string | null;
}

/** A text in parts, from what it is and what is shown: each sign is a part. */
export function splitVisible(text: string, shown: string): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === shown.charAt(at)) continue;
    if (at > from) parts.push({ text: text.slice(from, at), hidden: null });
    parts.push({ text: shown.charAt(at), hidden: text.charAt(at) });
    from = at + 1;
  }
  if (from < text.length) parts.push({ text: text.slice(from), hidden: null });
  return parts;
}

/** How Unicode calls a character, such as "U+202E". */
export const nameCharacter = (character: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
