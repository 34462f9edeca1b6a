// Reads a docker-compose.yml: the commands and ports of its services. Images are not run, so a
// service without its own command is only named.
import { type Found, type FoundService, nothing } from "./found.ts";

interface Line {
  indent: number;
  text: string;
}

/** Reads a compose file. */
export function findCompose(path: string, text: string | null): Found {
  const services: FoundService[] = [];
  const unrun: string[] = [];
  for (const [name, lines] of listEntries(listChildren(parseLines(text ?? ""), "services"))) {
    const command = findText(lines, "command");
    const [port = null] = listPorts(listChildren(lines, "ports"));
    if (command === null) unrun.push(name);
    else services.push({ name, command, port, because: `${path}: the command of its service ${name}` });
  }
  const notes = unrun.length > 0 ? [`${path} also names ${unrun.join(", ")}, but without a command.`] : [];
  return { ...nothing, services, notes };
}

/** The lines with content, without blank lines and comments. */
function parseLines(text: string): Line[] {
  return text
    .split("\n")
    .map((line) => withoutComment(line).trimEnd())
    .filter((line) => line.trim() !== "")
    .map((line) => ({ indent: line.length - line.trimStart().length, text: line.trim() }));
}

function withoutComment(line: string): string {
  const at = line.search(/(^|\s)#/);
  return at < 0 ? line : line.slice(0, at);
}

/** The lines below a key of the first level. */
function listChildren(lines: Line[], key: string): Line[] {
  const level = lines[0]?.indent ?? 0;
  const at = lines.findIndex(({ indent, text }) => indent === level && text === `${key}:`);
  return at < 0 ? [] : linesBelow(lines, at);
}

/** The lines below the key of a line. A list may be indented as little as its key. */
function linesBelow(lines: Line[], at: number): Line[] {
  const level = lines[at]?.indent ?? 0;
  const isBelow = ({ indent, text }: Line) => indent > level || (indent === level && text.startsWith("- "));
  let end = at + 1;
  for (let line = lines[end]; line !== undefined && isBelow(line); line = lines[end]) end += 1;
  return lines.slice(at + 1, end);
}

/** Each key of the first level, with the lines below it. */
function listEntries(lines: Line[]): [name: string, lines: Line[]][] {
  const level = lines[0]?.indent ?? 0;
  return lines.flatMap(({ indent, text }, at): [string, Line[]][] =>
    indent === level && /^[\w.-]+:$/.test(text) ? [[text.slice(0, -1), linesBelow(lines, at)]] : [],
  );
}

/** The value of a key: the text after it, or the words of a list. */
function findText(lines: Line[], key: string): string | null {
  const level = lines[0]?.indent ?? 0;
  const line = lines.find(({ indent, text }) => indent === level && text.startsWith(`${key}: `));
  if (line) {
    const value = line.text.slice(key.length + 1).trim();
    if (/^[|>]/.test(value)) return null;
    return value.startsWith("[") ? formatWords(value.slice(1, -1).split(",")) : unquoted(value);
  }
  return formatWords(listChildren(lines, key).map(({ text }) => text.replace(/^- /, "")));
}

function formatWords(words: string[]): string | null {
  const plain = words.map(unquoted).filter((word) => word !== "");
  // A service runs its command with `sh -c "…"` anyway, so only the script counts.
  const [shell = "", flag, script] = plain;
  if (/^(\/bin\/)?(ba)?sh$/.test(shell) && flag === "-c" && script) return script;
  return plain.length > 0 ? plain.map(quotedWord).join(" ") : null;
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, "$2");
}

function quotedWord(word: string): string {
  return /^[\w@%+=:,./$-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The ports inside the containers, where the commands listen. */
function listPorts(lines: Line[]): number[] {
  return lines.flatMap(({ text }) => {
    const short = /^- ["']?(?:[\d.]+:)?(?:\$\{\w+(?::?-\d+)?\}:|\d+:)?(\d{1,5})(?:\/tcp)?["']?$/.exec(text)?.[1];
    const long = /^(?:- )?target: ["']?(\d{1,5})/.exec(text)?.[1];
    const port = Number(short ?? long);
    return port >= 1 && port <= 65_535 ? [port] : [];
  });
}
