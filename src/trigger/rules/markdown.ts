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
  /^(?:(`{3,}(?=[^`]*$)|~{3,})|<(?:(pre|script|style|textarea)(?=[ \t>]|$)|(\?|!\[CDATA\[|!--|!(?=[a-z]))))/i;
const rawEnd = /<\/(?:pre|script|style|textarea)>/i;
/** Tags that begin a block of HTML, whatever follows them. */
const blockTag =
  /^<\/?(?:address|article|aside|base(?:font)?|blockquote|body|caption|center|col(?:group)?|d[dlt]|details|dialog|dir|div|fieldset|fig(?:caption|ure)|footer|form|frame(?:set)?|h[1-6r]|head(?:er)?|html|iframe|legend|li(?:nk)?|main|menu(?:item)?|nav|noframes|ol|opt(?:group|ion)|p(?:aram)?|search|section|summary|t(?:able|body|d|foot|h|head|itle|r|rack)|ul)(?=[ \t]|\/?>|$)/i;
const itemMark = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;

/** The ends of HTML that is not shown, by its starts after the `<`. */
const endOf: Partial<Record<string, string>> = { "?": "?>", "!": ">", "!--": "-->", "![CDATA[": "]]>" };

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
  // What one of two readings hides is no mention: a link may be none, and a block of HTML as well.
  const readings = [new Reading(), new Reading()] as const;

  for (const line of text.split("\n")) {
    if (readings.some(({ isOver }) => isOver)) break;
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
      if (paragraph !== null) hideParts(lines, paragraph, isHtml, used, readings);
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
    const isTag: boolean = isPlain && (blockTag.test(rest) || (paragraph === null && wholeTag.test(rest)));
    const end: RegExp | null = tag ? rawEnd : isTag ? /^$/ : toEnd(start);
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
      if (code?.test(rest)) {
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
  if (paragraph !== null) hideParts(lines, paragraph, isHtml, used, readings);
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

const space = String.raw`[ \t\n]`;
/** A title of a link. None of its kinds goes beyond its next mark, so all of them are read once. */
const title = String.raw`(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^()\\])*\))`;
const target = String.raw`(?:<[^<>\n]*>|[^ \t\n<()](?:[^ \t\n()]|\([^ \t\n()]*\))*)`;
const linkEnd = String.raw`\]\(${space}*(?:${target}(?:${space}+${title})?${space}*)?\)`;
const label = String.raw`(?:\\[\s\S]|[^[\]\\])*`;
const image = String.raw`!\[${label}(?:\[${label}\]${label})*(?:${linkEnd}|\]\[${label}\])`;
const value = String.raw`(?:"[^"]*"|'[^']*'|[^ \t\n"'=<>${"`"}]+)`;
const attribute = String.raw`${space}+[a-z_:][\w:.-]*(?:${space}*=${space}*${value})?`;
const htmlTag = String.raw`<(?:[a-z][a-z\d-]*(?:${attribute})*${space}*/?|/[a-z][a-z\d-]*${space}*)>`;
const wholeTag = new RegExp(String.raw`^${htmlTag}[ \t]*$`, "i");
const comment = String.raw`<!--(?:-?>|[\s\S]*?(?:-->|$))`;
const markup = String.raw`\\[\s\S]|(${"`"}+)|(${htmlTag}|${comment})|<(\?|!\[CDATA\[|!(?=[a-z]))`;
const withoutLinks = new RegExp(markup, "gi");
const withLinks = new RegExp(`${markup}|(${image}|${linkEnd})`, "gi");

/** A start in HTML, as a browser reads it: of a comment, of what it takes for one, or of a tag. */
const htmlStart = /<(?:!--|([!?]|\/(?![a-z]))|\/?[a-z][^ \t\n/>]*)/gi;
const htmlComment = /<!--(?:-?>|[\s\S]*?--!?>)/y;
/** An attribute up to the mark before its value. A browser takes almost all for a name. */
const htmlAttribute = /[ \t\n/]*(?:[^ \t\n/>][^ \t\n/>=]*(?:[ \t\n]*=[ \t\n]*(?:(["'])|[^ \t\n"'>][^ \t\n>]*)?)?)?/y;
/** The tags of code. Without an end, all that follows is code. */
const codeTag = /^<(\/?)(pre|code)(?=[ \t\n/>])/i;

/** Definitions of links, which begin a paragraph. A footnote is shown. */
const definition = new RegExp(
  String.raw`(?:[ \t]|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))*\[(?!\^)(${label})\]:${space}*${target}(?:${space}+${title})?[ \t]*(?:\n|$)`,
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

/** A text while it is read, paragraph by paragraph. */
class Reading {
  plain = "";
  shown = "";
  /** Whether HTML without an end hides all that follows. */
  isOver = false;
  /** The open tag of code. */
  private code: string | null = null;

  /** Adds text that the page shows. Code and what is part of a link mention nobody. */
  add(text: string, isCode = false): void {
    this.plain += isCode || this.isOver || this.code !== null ? toSpaces(text) : text;
    this.shown += this.isOver ? toHidden(text) : text;
  }

  addHidden(text: string): void {
    this.plain += toSpaces(text);
    this.shown += toHidden(text);
  }

  /** Adds HTML, which a browser reads in its own way. Of an invalid tag, it shows nothing. */
  addHtml(html: string, isCode = false): void {
    let at = 0;
    htmlStart.lastIndex = 0;
    for (let match = htmlStart.exec(html); match && !this.isOver; match = htmlStart.exec(html)) {
      this.add(html.slice(at, match.index), isCode);
      const end = findHtmlEnd(html, match);
      at = htmlStart.lastIndex = end < 0 ? html.length : end;
      const part = html.slice(match.index, at);
      if (wholeTag.test(part)) this.add(part, true);
      else this.addHidden(part);
      this.isOver = end < 0;
      const [, slash, name = ""] = codeTag.exec(part.toLowerCase()) ?? [];
      if (slash === "") this.code ??= name;
      else if (name === this.code) this.code = null;
    }
    this.add(html.slice(at), isCode);
  }
}

/** The end of what begins in HTML; -1 for a comment or value without one, which hides the rest. */
function findHtmlEnd(html: string, { 0: start, 1: unseen, index }: RegExpExecArray): number {
  const from = index + start.length;
  if (unseen !== undefined) return html.indexOf(">", from) + 1 || html.length;
  if (start === "<!--") {
    htmlComment.lastIndex = index;
    return htmlComment.test(html) ? htmlComment.lastIndex : -1;
  }
  let at = from;
  while (at < html.length && html[at] !== ">") {
    htmlAttribute.lastIndex = at;
    const [, mark] = htmlAttribute.exec(html) ?? [];
    at = htmlAttribute.lastIndex;
    if (mark === undefined) continue;
    at = html.indexOf(mark, at) + 1;
    if (at === 0) return -1;
  }
  return Math.min(at + 1, html.length);
}

/** Reads the text of a paragraph, from this place on. */
function readMarkdown(reading: Reading, text: string, from: number, parts: RegExp): void {
  /** The place of the last mark of each length. Only a code with an end is searched for it. */
  const last: number[] = [];
  for (const { 0: mark, index } of text.matchAll(/`+/g)) last[mark.length] = index;
  const lastEnd: Partial<Record<string, number>> = {};
  let at = from;
  parts.lastIndex = at;
  for (let match = parts.exec(text); match; match = parts.exec(text)) {
    const [whole, mark, html, start, link] = match;
    let end = parts.lastIndex;
    if (mark !== undefined) {
      if ((last[mark.length] ?? -1) < end) continue;
      const marks = /`+/g;
      marks.lastIndex = end;
      while (marks.exec(text)?.[0].length !== mark.length);
      end = marks.lastIndex;
    } else if (start !== undefined) {
      const mark = endOf[start];
      if (mark === undefined) continue;
      lastEnd[start] ??= text.lastIndexOf(mark);
      if (lastEnd[start] < end) continue;
      end = text.indexOf(mark, end) + mark.length;
    } else if (html === undefined && link === undefined && whole !== "\\@") continue;
    reading.add(text.slice(at, match.index));
    const part = text.slice(match.index, end);
    if (html ?? start) reading.addHtml(part, true);
    else reading.add(part, true);
    parts.lastIndex = at = end;
  }
  reading.add(text.slice(at));
}

/** A text with a space wherever the other one, of the same length, has a space. */
const withSpacesOf = (text: string, other: string) =>
  text.replace(/\S/g, (character, at: number) => (other[at] === " " ? " " : character));

/**
 * Hides the code in a paragraph, which begins at this line and is the last, and what its page does
 * not show.
 */
function hideParts(
  lines: Line[],
  first: number,
  isHtml: boolean,
  used: ReadonlySet<string>,
  readings: readonly [Reading, Reading],
): void {
  const paragraph = lines.slice(first);
  const text = paragraph.map(({ plain }) => plain).join("\n");
  const [reading, other] = readings;
  for (const each of readings) each.plain = each.shown = "";
  let at = 0;
  for (let match = definition.exec(text); match; match = at < text.length ? definition.exec(text) : null) {
    const [whole, name = ""] = match;
    at = definition.lastIndex;
    if (used.has(toName(name))) reading.add(whole, true);
    else reading.addHidden(whole);
  }
  definition.lastIndex = 0;
  if (isHtml) reading.addHtml(text);
  else readMarkdown(reading, text, at, withLinks);
  if (text.includes("<")) readMarkdown(other, text, 0, isHtml ? withLinks : withoutLinks);
  else other.plain = reading.plain;
  const shownLines = reading.shown.split("\n");
  const plain = other.plain === reading.plain ? reading.plain : withSpacesOf(reading.plain, other.plain);
  const plainLines = plain.split("\n");
  for (const [place, line] of paragraph.entries()) {
    line.shown = shownLines[place] ?? "";
    line.plain = plainLines[place] ?? "";
  }
}
