// Front matter: the lines between two `---` at the head of a Markdown file, as far as skills use them: names with a text each.

export interface FrontMatter {
  fields: Record<string, string>;
  /** What comes behind it. */
  body: string;
}

const fence = /^---[ \t]*$/;
const field = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/s;

/** Takes a file apart. Null when it has no front matter, or one that does not end. What is no name with a text is passed over. */
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
    fields[name] = textOf(text.trim(), below);
  }
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

/** A text in quotes, in a block of lines of its own, or plain and perhaps gone on with on the next lines. */
function textOf(text: string, below: string[]): string {
  if (/^[|>][+-]?$/.test(text)) return below.join(text.startsWith("|") ? "\n" : " ").trim();
  const whole = [text, ...below].filter((line) => line !== "").join(" ");
  const double = /^"((?:[^"\\]|\\.)*)"(?:\s+#.*)?$/s.exec(whole)?.[1];
  if (double !== undefined) return double.replace(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
  const single = /^'((?:[^']|'')*)'(?:\s+#.*)?$/s.exec(whole)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  return whole.replace(/(^|\s)#.*$/s, "").trim();
}
