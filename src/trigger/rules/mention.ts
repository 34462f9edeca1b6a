// A mention of the service's app in a comment: the words right after it, and the request. Lines
// that the comment quotes from somebody else, and code, mention nobody.
import { toPattern } from "../../rules/text.ts";
import { deleteHidden, parseOwnText } from "./markdown.ts";
import { toLines } from "./material.ts";
import { getPrompt, type Trigger } from "./trigger.ts";

export interface Mention {
  /** The words of the service right after the mention. */
  words: {
    /** Stop the running turn. */
    stop: boolean;
    /** Switches automatic messages of the session off or on; null without the word. */
    autofix: boolean | null;
    /** Put it into the Backlog. */
    file: boolean;
    /** The id of a model; null without one. */
    model: string | null;
  };
  /** What the author asks for; empty for nothing. */
  request: string;
  /** The request with the words of the service, which are none for others than members. */
  text: string;
  /** The lines that the comment quotes; empty for none. */
  quoted: string;
}

/** A mention without words of the service. */
export const noWords: Mention["words"] = { stop: false, autofix: null, file: false, model: null };

/** The mention in a comment; null without one. */
export function parseMention(body: string, name: string): Mention | null {
  const pattern = new RegExp(`(?<![\\w@./-])@${toPattern(name)}(?:\\[bot\\])?(?![\\w/-])`, "i");
  const { own, plain, quoted } = parseOwnText(toLines(body));
  const at = plain.findIndex((line) => pattern.test(line));
  const match = pattern.exec(plain[at] ?? "");
  if (match === null) return null;
  const line = own[at] ?? "";
  const [start, end] = [match.index, match.index + match[0].length];
  const { words, rest } = parseWords(deleteHidden([line.slice(end)]));
  const withLine = (after: string) =>
    deleteHidden(own.with(at, `${line.slice(0, start).trimEnd()} ${after.trim()}`.trim())).trim();
  return { words, request: withLine(rest), text: withLine(line.slice(end)), quoted: deleteHidden(quoted).trim() };
}

const modifier = /^(?:file(?![\w-])|model\s+([A-Za-z0-9][\w./:-]*))[\s,]*/i;
const lastWord = /^(?:stop|autofix\s+(on|off))[.!]?\s*$/i;

/**
 * Reads the words of the service. `stop` and `autofix` are words only at the end of the line,
 * because “stop using tabs” is a request.
 */
function parseWords(text: string): Pick<Mention, "words"> & { rest: string } {
  const words = { ...noWords };
  let rest = text.replace(/^[\s,:]+/, "");
  for (let match = modifier.exec(rest); match; match = modifier.exec(rest)) {
    const [whole, model] = match;
    if (model === undefined) words.file = true;
    else words.model = model;
    rest = rest.slice(whole.length);
  }
  const last = lastWord.exec(rest);
  if (last === null) return { words, rest };
  const [, autofix] = last;
  if (autofix === undefined) words.stop = true;
  else words.autofix = autofix.toLowerCase() === "on";
  return { words, rest: "" };
}

/**
 * The text before the quotes; null for a comment that only has words of the service. A member's
 * request follows the trigger's prompt.
 */
export function createPrompt(trigger: Trigger, { request, words }: Mention, isMember: boolean): string | null {
  if (!isMember) return getPrompt(trigger);
  if (words.stop || (request === "" && words.autofix !== null)) return null;
  if (request === "") return getPrompt(trigger);
  return trigger.do.prompt === null ? request : `${trigger.do.prompt}\n\n${request}`;
}
