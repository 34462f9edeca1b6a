// The blocks of a comment, as CommonMark reads them: which lines it quotes, and which of its other
// words are code or not shown. It reads no more than decides these, in linear time.
import { toPattern } from "../../rules/text.ts";

interface OwnText {
  /** The lines that are no quote. What HTML hides and unused definitions of links are `hidden`. */
  own: string[];
  /** The same lines with spaces for code and what is not shown, so that places stay the same. */
  plain: string[];
  /** The quoted lines, each without its first mark, with `hidden` as in the own lines. */
  quoted: string[];
}

/** A line of a comment, after the marks of its quotes. */
interface Line {
  /** The marks of its quotes; empty for an own line. */
  marks: string;
  /** The place of the first of them; null for an own line and one that continues a quote. */
  quoteAt: number | null;
  isQuoted: boolean;
  shown: string;
  plain: string;
}

/** In place of each character that no reader may get. It is invisible, so no text has it. */
const hidden = "\u0000";

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
const blockStart =
  /^(?:(`{3,}(?=[^`]*$)|~{3,})|<(?:(pre|code(?=[^>]*>[ \t]*$))(?=[\s>]|$)|(\?|!\[CDATA\[|!(?=[a-z]))))/i;
const itemMark = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;

/** The ends of instructions, declarations and CDATA, by their starts after the `<`. */
const endOf: Partial<Record<string, string>> = { "?": "?>", "!": ">", "![CDATA[": "]]>" };

/** Splits a comment into its own lines and those that it quotes. */
export function parseOwnText(text: string): OwnText {
  const lines = parseLines(text);
  const own = lines.filter(({ isQuoted }) => !isQuoted);
  const quoted = lines.filter(({ isQuoted }) => isQuoted);
  return {
    own: own.map(({ shown }) => shown),
    plain: own.map(({ plain }) => plain),
    quoted: quoted.map(({ marks, shown, quoteAt }) => (marks + shown).slice(quoteAt ?? 0).replace(/^>\s?/, "")),
  };
}

/** A text without what its page does not show in HTML, and without unused definitions of links. */
export function toShownText(text: string): string {
  return deleteHidden(parseLines(text).map(({ marks, shown }) => marks + shown));
}

/** Deletes what is hidden from parsed lines, and lines that have nothing else. */
export function deleteHidden(lines: readonly string[]): string {
  const shown = lines.filter((line) => !line.includes(hidden) || /[^\s>]/.test(line.replaceAll(hidden, "")));
  return shown.join("\n").replaceAll(hidden, "");
}

function parseLines(text: string): Line[] {
  const lines: Line[] = [];
  const used = listReferences(text);
  const containers: number[] = [];
  /** The first line of the open paragraph. */
  let paragraph: number | null = null;
  /** What ends the open block of code or HTML: its mark, or a tag. */
  let code: string | RegExp | null = null;
  let isHtml = false;

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
      if (paragraph !== null) hideParts(lines, paragraph, isHtml, used);
      paragraph = null;
      isHtml = false;
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
    const [, fence, tag, start = ""]: (string | undefined)[] = (isPlain && blockStart.exec(rest)) || [];
    const end: RegExp | null = tag ? toTagEnd(tag) : toEnd(start);
    const isWhole = isPlain && wholeLine.test(rest);
    const isCode = typeof code === "string" || (code === null && paragraph === null && rest !== "" && isIndented());
    const isBlank = code === null && rest === "";
    let isLast = isWhole || (isPlain && paragraph !== null && depth === containers.length && underline.test(rest));
    if (isCode || fence || end || isWhole || isBlank || paragraph === null) begin();
    if (typeof code === "string") {
      if (!isIndented() && rest.startsWith(code) && fenceEnd.test(rest)) code = null;
    } else if (fence) {
      code = fence;
    } else if (!isCode && !isBlank) {
      paragraph ??= lines.length;
      if (end) {
        code = end;
        isHtml = true;
      }
      if (code?.test(line)) {
        code = null;
        isLast = true;
      }
    }
    const isQuoted = containers.includes(quote);
    const marks = isQuoted ? line.slice(0, place.at) : "";
    const shown = line.slice(marks.length);
    lines.push({ marks, quoteAt, isQuoted, shown, plain: isCode || fence ? "" : shown });
    if (isLast) begin();
  }
  if (paragraph !== null) hideParts(lines, paragraph, isHtml, used);
  return lines;
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

/** The end of a part of HTML; null if it is no start of one. */
function toEnd(start: string): RegExp | null {
  const end = endOf[start];
  return end === undefined ? null : new RegExp(toPattern(end));
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
  String.raw`\\[\s\S]|(${"`"}+)|<(pre|code)(?=[\s>])[^<>]*>|<(\?|!\[CDATA\[|!(?=[a-z]))|(${image}|${linkEnd}|${openTag})`,
  "gi",
);

/** Definitions of links, which begin a paragraph. A footnote is shown. */
const definition = new RegExp(
  String.raw`(?:[ \t]|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))*\[(?!\^)(${label})\]:\s*${target}(?:\s+${title})?[ \t]*(?:\n|$)`,
  "y",
);

/** An escaped character, or a name that may refer to a definition. */
const reference = new RegExp(String.raw`\\[\s\S]|\[(${label})\](?!:)`, "g");

/** Case and spaces do not matter in the name of a definition. */
const toName = (written: string) => written.trim().replace(/\s+/g, " ").toLowerCase();

const listReferences = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(reference)].flatMap(([, name]) => (name === undefined ? [] : [toName(name)])));

const toSpaces = (text: string) => text.replace(/[^\n]/g, " ");
const toHidden = (text: string) => text.replace(/[^\n]/g, hidden);

/**
 * Hides the code in a paragraph, which begins at this line and is the last, and what its page does
 * not show. In a block of HTML, a part without an end goes to the end of the block.
 */
function hideParts(lines: Line[], first: number, isHtml: boolean, used: ReadonlySet<string>): void {
  const paragraph = lines.slice(first);
  const text = paragraph.map(({ plain }) => plain).join("\n");
  /** The place of the last mark of each length. Only a code with an end is searched for it. */
  const last: number[] = [];
  for (const { 0: mark, index } of text.matchAll(/`+/g)) last[mark.length] = index;
  const lastEnd: Partial<Record<string, number>> = {};
  const findEnd = (from: number, [whole, mark = "", tag, start, unseen]: (string | undefined)[]): number => {
    if (unseen) return from;
    if (tag) {
      const length = text.slice(from).search(toTagEnd(tag));
      return length < 0 ? text.length : from + length;
    }
    if (start) {
      const end = endOf[start];
      if (end === undefined) return -1;
      lastEnd[start] ??= text.lastIndexOf(end);
      if (lastEnd[start] < from) return isHtml ? text.length : -1;
      return text.indexOf(end, from) + end.length;
    }
    if (whole === "\\@") return from;
    if ((last[mark.length] ?? -1) < from) return -1;
    const marks = /`+/g;
    marks.lastIndex = from;
    while (marks.exec(text)?.[0].length !== mark.length);
    return marks.lastIndex;
  };
  let at = 0;
  let shown = "";
  for (let match = definition.exec(text); match; match = at < text.length ? definition.exec(text) : null) {
    const [whole, name = ""] = match;
    at = definition.lastIndex;
    shown += used.has(toName(name)) ? whole : toHidden(whole);
  }
  definition.lastIndex = 0;
  let plain = toSpaces(shown);
  codeStart.lastIndex = at;
  for (let match = codeStart.exec(text); match; match = codeStart.exec(text)) {
    const end = findEnd(codeStart.lastIndex, match);
    if (end < 0) continue;
    const [before, part] = [text.slice(at, match.index), text.slice(match.index, end)];
    plain += before + toSpaces(part);
    shown += before + (match[3] ? toHidden(part) : part);
    codeStart.lastIndex = at = end;
  }
  const rest = text.slice(at);
  const shownLines = (shown + rest).split("\n");
  const plainLines = (plain + rest).split("\n");
  for (const [place, line] of paragraph.entries()) {
    line.shown = shownLines[place] ?? "";
    line.plain = plainLines[place] ?? "";
  }
}
