// The bounds of a Markdown document that is laid out on a page. A layout cannot be interrupted, and
// for some marks its time is quadratic. They are therefore counted before the layout, in one pass.

/** The limits of a document. */
const most = {
  characters: 64 * 1_024,
  lines: 2_000,
  listMarkers: 1_000,
  /**
   * The sum, over all paragraphs, of marks times characters: the renderer searches for the end of
   * an unclosed mark up to the end of the paragraph.
   */
  searches: 16_000_000,
};
/** The maximum sum of the shares that a document uses of each limit. */
const sharesMax = 1.5;
/**
 * The number of quotes and lists that one line may open, and the column up to which they may indent
 * it.
 */
const nestingMax = 12;
const indentMax = 40;

/** Characters that may start or end an element within a text. */
const marks = "[](){}<>!*_~|`&\\:@\"'";

type Counts = Record<keyof typeof most, number>;

/** True for a document that is laid out. Any other is shown as text. */
export function isWithinLayoutBounds(text: string): boolean {
  if (text.length > most.characters) return false;
  const counts: Counts = { characters: text.length, lines: 0, listMarkers: 0, searches: 0 };
  let paragraph = { characters: 0, marks: 0 };
  for (let at = 0; at < text.length; ) {
    const { end, markers, indent, isItem } = readLineStart(text, at);
    if (markers > nestingMax || (markers > 0 && indent > indentMax)) return false;
    const line = readLine(text, end);
    counts.lines += 1;
    counts.listMarkers += markers;
    if (line.end === end ? markers === 0 : isItem) {
      counts.searches += paragraph.marks * paragraph.characters;
      paragraph = { characters: 0, marks: 0 };
    }
    paragraph.characters += line.end - at;
    paragraph.marks += line.marks + markers;
    at = line.next;
  }
  counts.searches += paragraph.marks * paragraph.characters;
  const shares = Object.entries(most).map(([name, limit]) => counts[name as keyof Counts] / limit);
  return Math.max(...shares) <= 1 && shares.reduce((sum, share) => sum + share, 0) <= sharesMax;
}

/**
 * Reads the markers of quotes and lists at the start of a line, and the white space before and
 * between them.
 */
function readLineStart(text: string, start: number) {
  let markers = 0;
  let isItem = false;
  let indent = 0;
  let at = start;
  for (;;) {
    const character = text[at];
    if (character === " " || character === "\t") {
      indent += character === "\t" ? 4 : 1;
      at += 1;
      continue;
    }
    const length = markerLength(text, at);
    if (length === 0) return { end: at, markers, indent, isItem };
    // A number, or a marker that is indented far, may continue the previous paragraph.
    if (markers === 0) isItem = indent < 4 && "-+*".includes(character ?? " ");
    markers += 1;
    indent += length;
    at += length;
  }
}

/** The length of a quote's or list item's marker at a position; 0 for anything else. */
function markerLength(text: string, at: number): number {
  if (text[at] === ">") return 1;
  let end = at;
  while (end - at < 9 && isDigit(text[end])) end += 1;
  const isMark = end === at ? "-+*".includes(text[at] ?? " ") : ".)".includes(text[end] ?? " ");
  return isMark && isSpace(text[end + 1]) ? end + 1 - at : 0;
}

const isDigit = (character = "") => character >= "0" && character <= "9";
const isSpace = (character = "\n") => " \t\r\n".includes(character);

/** Counts the marks up to the end of a line. */
function readLine(text: string, start: number): { end: number; next: number; marks: number } {
  let count = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\n" || character === "\r") return { end: at, next: at + 1, marks: count };
    if (marks.includes(character)) count += 1;
  }
  return { end: text.length, next: text.length, marks: count };
}
