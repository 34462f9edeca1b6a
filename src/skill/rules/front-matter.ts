// Front matter: the lines between two `---` at the start of a Markdown file. Reads only the part of
// YAML that skills use: names with texts.

export interface FrontMatter {
  fields: Record<string, string>;
  /** The rest of the file. */
  body: string;
}

const fence = /^---[ \t]*$/;
const field = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/s;

/**
 * Parses a file. Null if it has no complete front matter. Lines other than a name with a text are
 * ignored.
 */
export function readFrontMatter(file: string): FrontMatter | null {
  const lines = file.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  if (!fence.test(lines[0] ?? "")) return null;
  const end = lines.findIndex((line, at) => at > 0 && fence.test(line));
  if (end < 0) return null;
  const fields: Record<string, string> = Object.create(null);
  for (let at = 1; at < end; at++) {
    const [, name, text = ""] = field.exec(lines[at] ?? "") ?? [];
    if (name === undefined) continue;
    const below: string[] = [];
    while (at + 1 < end && /^(\s+\S.*|\s*)$/.test(lines[at + 1] ?? "")) below.push((lines[++at] ?? "").trim());
    fields[name] = parseText(text.trim(), below);
  }
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

/** Parses a quoted text, a block of lines, or a plain text that may continue on the next lines. */
function parseText(text: string, below: string[]): string {
  if (/^[|>][+-]?$/.test(text)) return below.join(text.startsWith("|") ? "\n" : " ").trim();
  const whole = [text, ...below].filter((line) => line !== "").join(" ");
  const double = /^"((?:[^"\\]|\\.)*)"(?:\s+#.*)?$/s.exec(whole)?.[1];
  if (double !== undefined) return double.replace(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
  const single = /^'((?:[^']|'')*)'(?:\s+#.*)?$/s.exec(whole)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  return whole.replace(/(^|\s)#.*$/s, "").trim();
}
