// The search in messages: which texts of a turn it finds, and how the words of a person become an
// expression of the full-text index. The index is shared by all workspaces, so each text has the
// scope that it belongs to, and the words of a person are only ever quoted.
import type { ChatState } from "../../chat/rules/chat.ts";
import { isUnfinished } from "../../chat/rules/turn.ts";
import { indexedMessageCharacters, messageSearchTermsMax } from "../../rules/limits.ts";
import { toFirstCodePoints } from "../../rules/text.ts";
import type { SessionState } from "./session.ts";

/** The turns with new texts after a decision: one that began, and one that ended. */
export function listTurnsToIndex(before: SessionState | null, after: SessionState | null): string[] {
  if (after === null) return [];
  const { turn } = after.chat;
  const earlier = before?.chat.turn ?? null;
  const started = turn !== null && turn.id !== earlier?.id ? [turn.id] : [];
  const isEnded = isUnfinished(earlier) && !(turn?.id === earlier.id && isUnfinished(turn));
  return isEnded ? [earlier.id, ...started] : started;
}

/** True for a turn whose last text is its final answer. */
export const hasFinalAnswer = (turn: ChatState["turn"]): boolean => turn !== null && !isUnfinished(turn);

// The marks of a snippet, which no indexed text has.
export const markStart = "\u0002";
export const markEnd = "\u0003";

/** The part of a text that is searched. */
export function toIndexedText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the marks of a snippet.
  return toFirstCodePoints(text, indexedMessageCharacters).replace(/[\u0000-\u0008]/g, " ");
}

/** The word for an id in the index. It differs for ids that differ only in case. */
function toScopeWord(kind: "w" | "p", id: string): string {
  return kind + [...id].map((character) => (character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")).join("");
}

/** The scope of the texts of a session. */
export function formatScope({ workspaceId, projectId }: { workspaceId: string; projectId: string }): string {
  return `${toScopeWord("w", workspaceId)} ${toScopeWord("p", projectId)}`;
}

/** Where a search looks: in projects, if it names any, else in workspaces. */
export interface SearchScope {
  workspaceIds: readonly string[];
  projectIds: readonly string[];
}

/**
 * The expression that matches all words of a person, in any order; the last one may be the start of
 * a word. Null if nothing can match.
 */
export function formatMatch(words: string, { workspaceIds, projectIds }: SearchScope): string | null {
  const scopes =
    projectIds.length > 0
      ? projectIds.map((id) => toScopeWord("p", id))
      : workspaceIds.map((id) => toScopeWord("w", id));
  // Only letters and digits are in the index; a text without any has no words.
  const terms = words.split(/\s+/).filter((term) => /[\p{L}\p{N}]/u.test(term));
  if (terms.length === 0 || scopes.length === 0) return null;
  const quoted = terms.slice(0, messageSearchTermsMax).map(quote);
  const last = terms.length <= messageSearchTermsMax ? (terms.at(-1) ?? "") : "";
  // A start of one or two characters would match too many words.
  const prefix = /[\p{L}\p{N}]{3}$/u.test(last) ? "*" : "";
  return `{scope} : (${scopes.map(quote).join(" OR ")}) AND {text} : (${quoted.join(" AND ")}${prefix})`;
}

/** Control characters would end the expression. */
function quote(term: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: SQLite ends a text at a zero.
  return `"${term.replace(/[\u0000-\u001f]/g, "").replaceAll('"', '""')}"`;
}

export interface Snippet {
  text: string;
  /** Where its matches begin and end, in UTF-16 units. */
  marks: [number, number][];
}

/** Reads a snippet with marks. */
export function parseSnippet(marked: string): Snippet {
  const marks: [number, number][] = [];
  let text = "";
  for (const [place, part] of marked.split(markStart).entries()) {
    const [matched = "", rest = ""] = place === 0 ? ["", part] : part.split(markEnd, 2);
    if (matched !== "") marks.push([text.length, text.length + matched.length]);
    text += matched + rest;
  }
  return { text, marks };
}
