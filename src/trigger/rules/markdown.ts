// The blocks of a comment, as CommonMark reads them: which lines it quotes, and which of its other
// words are code or not shown. It reads no more than decides these, in linear time.

interface OwnText {
  /** The lines that are no quote. */
  own: string[];
  /** The same lines with spaces for code and what is not shown, so that places stay the same. */
  plain: string[];
  /** The quoted lines, each without its first mark. */
  quoted: string[];
}

/** How far a line is read. `from` is the column where the content of its container begins. */
interface Place {
  at: number;
  column: number;
  from: number;
}

/** Deeper lists are text, as at the code host: each line is compared with all containers. */
const containersMax = 100;
/** The width of a quote among the containers. A list item has the width of its indent. */
const quote = 0;

/** A heading, or a line between two parts. */
const wholeLine = /^(?:#{1,6}(?:[ \t]|$)|([-_*])[ \t]*(?:\1[ \t]*){2,}$)/;
const underline = /^(?:=+|-+)[ \t]*$/;
const fenceEnd = /^(?:`+|~+)[ \t]*$/;
const blockStart = /^(?:(`{3,}(?=[^`]*$)|~{3,})|<(pre|code(?=[^>]*>[ \t]*$))(?=[\s>]|$))/i;
const itemMark = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;

/** Splits a comment into its own lines and those that it quotes. */
export function parseOwnText(text: string): OwnText {
  const own: string[] = [];
  const plain: string[] = [];
  const quoted: string[] = [];
  const containers: number[] = [];
  /** The first line of the open paragraph. */
  let paragraph: number | null = null;
  /** What ends the open block of code: its mark, or a tag. */
  let code: string | RegExp | null = null;

  for (const line of text.split("\n")) {
    const place: Place = { at: 0, column: 0, from: 0 };
    skip(line, place, 0);
    const isIndented = () => place.column - place.from > 3;
    let quoteAt: number | null = null;
    let depth = 0;
    const skipQuoteMark = () => {
      if (line[place.at] !== ">" || isIndented()) return false;
      quoteAt ??= place.at;
      skip(line, place, 1);
      return true;
    };
    for (const width of containers) {
      if (width === quote) {
        if (!skipQuoteMark()) break;
      } else if (place.at < line.length) {
        if (place.column - place.from < width) break;
        place.from += width;
      }
      depth += 1;
    }
    const begin = () => {
      hideCode(plain, paragraph);
      paragraph = null;
      containers.length = depth;
    };
    if (code !== null && depth < containers.length) {
      code = null;
      begin();
    }
    while (code === null && !isIndented()) {
      const width = skipQuoteMark() ? quote : depth < containersMax ? skipItemMark(line, place) : null;
      if (width === null) break;
      begin();
      depth = containers.push(width);
    }

    const rest = line.slice(place.at);
    const isPlain: boolean = code === null && !isIndented();
    const [, fence, tag]: (string | undefined)[] = (isPlain && blockStart.exec(rest)) || [];
    const isWhole = isPlain && wholeLine.test(rest);
    const isCode = typeof code === "string" || (code === null && paragraph === null && rest !== "" && isIndented());
    const isBlank = code === null && rest === "";
    let isLast = isWhole || (isPlain && paragraph !== null && depth === containers.length && underline.test(rest));
    if (isCode || fence || tag || isWhole || isBlank || paragraph === null) begin();
    if (typeof code === "string") {
      if (!isIndented() && rest.startsWith(code) && fenceEnd.test(rest)) code = null;
    } else if (fence) {
      code = fence;
    } else if (!isCode && !isBlank) {
      paragraph ??= plain.length;
      if (tag) code = toTagEnd(tag);
      if (code?.test(line)) {
        code = null;
        isLast = true;
      }
    }
    if (containers.includes(quote)) {
      quoted.push(line.slice(quoteAt ?? 0).replace(/^>\s?/, ""));
    } else {
      own.push(line);
      plain.push(isCode || fence ? "" : line);
    }
    if (isLast) begin();
  }
  hideCode(plain, paragraph);
  return { own, plain, quoted };
}

/** Passes a mark of so many characters, the spaces after it, and the first of them as its own. */
function skip(line: string, place: Place, characters: number): void {
  place.at += characters;
  place.column += characters;
  if (characters > 0) place.from = place.column + (/[ \t]/.test(line[place.at] ?? "") ? 1 : 0);
  for (; line[place.at] === " " || line[place.at] === "\t"; place.at += 1)
    place.column += line[place.at] === " " ? 1 : 4 - (place.column % 4);
}

/** Passes the mark of a list item, and returns the width of its indent; null without a mark. */
function skipItemMark(line: string, place: Place): number | null {
  const rest = line.slice(place.at);
  const [mark = ""] = itemMark.exec(rest) ?? [];
  if (mark === "" || wholeLine.test(rest)) return null;
  const { column, from } = place;
  skip(line, place, mark.length);
  const spaces = place.column - column - mark.length;
  const width = column - from + mark.length + (place.at === line.length || spaces > 4 ? 1 : spaces);
  place.from = from + width;
  return width;
}

const toTagEnd = (tag: string) => new RegExp(`</${tag}\\s*>`, "i");

/** A title of a link. None of its kinds goes beyond its next mark, so all of them are read once. */
const title = String.raw`(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^()\\])*\))`;
const target = String.raw`(?:<[^<>\n]*>|[^\s<()](?:[^\s()]|\([^\s()]*\))*)`;
const linkEnd = String.raw`\]\(\s*(?:${target}(?:\s+${title})?\s*)?\)`;
const label = String.raw`(?:\\[\s\S]|[^[\]\\])*`;
const image = String.raw`!\[${label}(?:\[${label}\]${label})*(?:${linkEnd}|\]\[${label}\])`;
const attribute = String.raw`\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>${"`"}]+))?`;
const openTag = String.raw`<[a-z][a-z\d-]*(?:${attribute})*\s*/?>`;
const codeStart = new RegExp(
  String.raw`\\[\s\S]|(${"`"}+)|<(pre|code)(?=[\s>])[^<>]*>|(${image}|${linkEnd}|${openTag})`,
  "gi",
);

/** Definitions of links, which begin a paragraph. A footnote is shown. */
const definition = new RegExp(
  String.raw`(?:[ \t]|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))*\[(?!\^)${label}\]:\s*${target}(?:\s+${title})?[ \t]*(?:\n|$)`,
  "y",
);

const toSpaces = (text: string) => text.replace(/[^\n]/g, " ");

/** Hides the code in a paragraph, which begins at this line and is the end of the text. */
function hideCode(lines: string[], first: number | null): void {
  if (first === null || first >= lines.length) return;
  const text = lines.splice(first).join("\n");
  /** The place of the last mark of each length. Only a code with an end is searched for it. */
  const last: number[] = [];
  for (const { 0: mark, index } of text.matchAll(/`+/g)) last[mark.length] = index;
  const findEnd = (from: number, [whole, mark = "", tag, hidden]: string[]): number => {
    if (hidden) return from;
    if (tag) {
      const length = text.slice(from).search(toTagEnd(tag));
      return length < 0 ? text.length : from + length;
    }
    if (whole === "\\@") return from;
    if ((last[mark.length] ?? -1) < from) return -1;
    const marks = /`+/g;
    marks.lastIndex = from;
    while (marks.exec(text)?.[0].length !== mark.length);
    return marks.lastIndex;
  };
  let at = 0;
  for (definition.lastIndex = 0; at < text.length && definition.test(text); ) at = definition.lastIndex;
  let shown = toSpaces(text.slice(0, at));
  codeStart.lastIndex = at;
  for (let match = codeStart.exec(text); match; match = codeStart.exec(text)) {
    const end = findEnd(codeStart.lastIndex, match);
    if (end < 0) continue;
    shown += text.slice(at, match.index) + toSpaces(text.slice(match.index, end));
    codeStart.lastIndex = at = end;
  }
  // One by one: a call has no room for as many arguments as a text has lines.
  for (const line of (shown + text.slice(at)).split("\n")) lines.push(line);
}
