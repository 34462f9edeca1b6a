// What a user's message means to a sync whose conflicts wait for them: it chooses a version by whatever name people have for it, or looks like
// an answer and leaves open which, or is for the agent to read.
import { placeChosen } from "../chat/answer-words.ts";
import { type Resolution, resolutions } from "./sync-conflict.ts";

/** What waits for an answer. */
export interface OpenConflict {
  /** The branch that comes in, by its name. */
  base: string;
  /** The session's branch. */
  branch: string;
  /** The files that both changed. */
  conflicts: readonly string[];
}

/** Null when the agent has to read it: it may be about something else, or say more than one choice. */
export type SyncAnswer = Resolution | "unclear" | null;

const mine: string = "<mine>";
const theirs: string = "<theirs>";
/** What people call either side, the longer names first. */
const names: [pattern: RegExp, side: string][] = [
  [/\b(this|our|my|own|current|feature|session) (branch|session)\b|\b(mine|ours|our|my)\b/g, mine],
  [/\bthis(?= (versions?|side|changes?)\b)/g, mine],
  [/\b(target|base|incoming|upstream)( branch)?\b|\b(theirs|their)\b/g, theirs],
];

const noise = new Set(
  (
    "a an the i we you let is be to of in on for from as it its that what has have had this them please pls thanks thank just ok okay yes yeah " +
    "sure so then keep take use using choose choosing pick go going with leave accept prefer want like would should can will stay stays win wins one " +
    "ones version versions side sides branch branches change changes line lines code file files conflict conflicts everything everywhere all always fine good better best right"
  ).split(" "),
);
const saysHow = /^\s*(another resolution|(do )?something else)\s*[:,–—-]/i;
const byHand = /^(please )?(another resolution|(do )?something else|(you )?decide( yourself)?|(it )?up to you)$/;
const together = new Set("both combine combined mix merge merged together two manually hand by and up".split(" "));
const negative =
  /\b(not|never|no|nor|none|neither|without|instead|rather|nope|other|than)\b|n['’]t\b|\b(dont|doesnt)\b/;
/** Words that make more of an answer than one choice. */
const qualified = /\b(but|except|unless|only|alone|rest|also)\b|[\w-][./][\w-]/;
const about = /\b(versions?|sides?|branch|conflicts?|resolution|option|first|second|third|last)\b/;
const setsAside =
  /^(please )?(cancel|never ?mind|forget|abort|stop|skip|later|not now|leave)( (it|that|this|the sync|the merge))?( for now)?$/;
/** A choice may be said at more length than what is only like one. */
const choiceWordsMax = 12;
const wordsMax = 8;

/** Reads a message that may answer the question about conflicts. */
export function readSyncAnswer(message: string, conflict: OpenConflict): SyncAnswer {
  const [answer = "", ...more] = message.split("\n\n");
  if (saysHow.test(answer)) return "by-hand";
  const text = named(answer, conflict);
  const words: string[] = text.match(/<?[\p{L}\p{N}_]+(?:[-./'][\p{L}\p{N}_]+)*>?/gu) ?? [];
  const mayChoose = words.length > 0 && words.length <= choiceWordsMax && !answer.trim().includes("\n");
  if (!mayChoose || text.includes("?") || setsAside.test(words.join(" "))) return null;
  const left = words.filter((word) => word !== mine && word !== theirs && !noise.has(word));
  if (!negative.test(text)) {
    const chosen = chosenBy(text, words, left);
    if (chosen !== null) return chosen;
    if (qualified.test(text)) return null;
  }
  if (words.length > wordsMax) return null;
  const hasSide = words.includes(mine) || words.includes(theirs);
  // A choice with more to do behind it is the agent's to read; one that is turned round is not to be taken for its opposite.
  const mayBeLeft = negative.test(text) && (hasSide || about.test(text)) ? 3 : 1;
  const looksLikeOne = left.length <= mayBeLeft;
  // What follows, short of what the service adds, is not to be lost.
  return looksLikeOne && more.every((part) => part.startsWith("(")) ? "unclear" : null;
}

function chosenBy(text: string, words: string[], left: string[]): Resolution | null {
  if (byHand.test(text.replace(/[.!]+$/, ""))) return "by-hand";
  // People say "that one" of anything.
  const place = /\b(this|that) one\b/.test(text) ? null : placeChosen(text, resolutions.length);
  if (place !== null) return resolutions[place] ?? null;
  const [hasMine, hasTheirs] = [words.includes(mine), words.includes(theirs)];
  const isBoth = left.includes("both") || (hasMine && hasTheirs);
  const isTogether = left.some((word) => /^(both|combined?|mix|merged?|manually|hand)$/.test(word));
  if (isTogether && (isBoth || !(hasMine || hasTheirs)) && left.every((word) => together.has(word)))
    return /^merge$/.test(left.join(" ")) && !isBoth ? null : "by-hand";
  if (left.length > 0 || hasMine === hasTheirs) return null;
  if (hasMine) return "branch";
  // To leave a branch can be to leave it out.
  return words.includes("leave") ? null : "base";
}

/** In small letters, with either side's names in one form, and without files that leave nothing out. */
function named(answer: string, { base, branch, conflicts }: OpenConflict): string {
  let text = ` ${answer
    .trim()
    .toLowerCase()
    .replace(/[“”"`*()]/g, " ")
    .replace(/’/g, "'")} `;
  const sides: [string, string][] = [
    [branch, mine],
    [base, theirs],
  ];
  for (const [name, side] of sides.sort(([a], [b]) => b.length - a.length)) text = withName(text, name, side);
  const files = conflicts.map((path) => path.toLowerCase());
  if (files.every((path) => text.includes(path))) for (const path of files) text = withName(text, path, "it");
  text = text.replace(/'(s|d|ll)\b/g, "");
  for (const [pattern, side] of names) text = text.replace(pattern, side);
  return text.replace(/\s+/g, " ").trim();
}

/** A name counts only where it stands alone, be it with its remote before it. */
function withName(text: string, name: string, word: string): string {
  const exact = name.toLowerCase().replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return text.replace(new RegExp(`(?<![\\w./-])(origin/)?${exact}(?![\\w/-]|\\.\\w)`, "g"), word);
}
