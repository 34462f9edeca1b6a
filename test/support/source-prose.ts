// What a file of TypeScript says to people: its comments, the titles of its tests, and its texts.
// A small lexer suffices, because it only has to know where these begin and end.

export interface Prose {
  kind: "comment" | "title" | "text";
  text: string;
  line: number;
}

/** A slash after one of these begins a regular expression; after anything else it divides. */
const beforeRegex = /(^|[([{=,;:!&|?+\-*%~^<>]|\b(return|typeof|case|in|of|await|yield|throw))$/;
const beforeTitle = /(\b(test|it|describe)(\.\w+)*|\))\($/;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const quoted = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const comment = /\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\//y;
const space = /\s+/y;
const word = /\w+/y;
const templatePart = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;

/** The comments, titles and texts of a file. Lines of `//` below each other are one comment. */
export function listProse(source: string): Prose[] {
  const found: Prose[] = [];
  /** The open braces of each template literal that the lexer is in. */
  const templates: number[] = [];
  /** The newest code, without comments and white space. */
  let before = "";
  let at = 0;
  /** A place that was counted to, and its line. */
  let counted = 0;
  let line = 1;

  function read(pattern: RegExp): string | null {
    pattern.lastIndex = at;
    const match = pattern.exec(source)?.[0] ?? null;
    at += match?.length ?? 0;
    return match;
  }
  function note(kind: Prose["kind"], text: string) {
    for (; counted < at - text.length; counted++) if (source[counted] === "\n") line += 1;
    found.push({ kind, text, line });
  }
  const kindOfText = () => (beforeTitle.test(before) ? "title" : "text");
  function template(kind: Prose["kind"]) {
    note(kind, read(templatePart) ?? "");
    if (source[at] === "$") templates.push(0);
    at += source[at] === "$" ? 2 : 1;
    before = source[at - 1] === "`" ? "`" : "(";
  }

  while (at < source.length) {
    const isAfterSpace = read(space) !== null;
    const name = read(word);
    if (name !== null) {
      // A word keeps its last letters, so that `return /x/` and `test("…")` are known.
      before = (isAfterSpace ? name : before + name).slice(-40);
      continue;
    }
    const char = source[at] ?? "";
    const said = char === "/" ? read(comment) : null;
    if (said !== null) {
      note("comment", said);
      continue;
    }
    if (char === "/" && beforeRegex.test(before) && read(regex) !== null) {
      before = "/";
      continue;
    }
    const text = char === '"' || char === "'" ? read(quoted) : null;
    if (text !== null) {
      note(kindOfText(), text);
      before = '"';
      continue;
    }
    at += 1;
    const depth = templates.at(-1);
    if (char === "`") template(kindOfText());
    else if (char === "}" && depth === 0) {
      templates.pop();
      template("text");
    } else {
      if (depth !== undefined && char === "{") templates[templates.length - 1] = depth + 1;
      if (depth !== undefined && char === "}") templates[templates.length - 1] = depth - 1;
      before = (before + char).slice(-40);
    }
  }
  return found;
}
