// What only the user can say of a pull request that is to be opened: whom a reviewer's name means, and which branch it is for, where the
// Target Branch changed after it was opened. Their next message is the answer, in the words of an option or in others.
import type { ClarificationOption, ClarificationQuestion } from "./block.ts";

/** What is clear about an order and what is not. */
export interface Clarity {
  /** The reviewers that are certain. */
  logins: string[];
  unclear: UnclearName[];
  /** The branch that the open pull request is for, and the Target Branch. */
  moved: { from: string; to: string } | null;
}

export interface UnclearName {
  name: string;
  /** True when it could be several people's. */
  isShared: boolean;
  /** Who may be meant. */
  logins: string[];
}

/** A pull request that waits for the user's answer. */
export interface PullRequestWish extends Clarity {
  title: string;
  body: string;
  evidence: string[];
  isDraft: boolean;
}

export interface WishAnswer {
  /** Whom the answer names. */
  names: string[];
  /** The branch it chooses. */
  base: string | null;
}

const questionsMax = 4;
const namesShown = 3;
const nobody = "No reviewer";
const leave = "Do not open it";
const moveTo = (branch: string) => `Move it to ${branch}`;
const stayOn = (branch: string) => `Leave it on ${branch}`;

/** The questions, with 2 to 4 options each. */
export function questionsOf(clarity: Clarity): ClarificationQuestion[] {
  const questions = clarity.unclear.slice(0, questionsMax - 1).map(aboutName);
  return clarity.moved === null ? questions : [...questions, aboutBranch(clarity.moved)];
}

function aboutName({ name, isShared, logins }: UnclearName): ClarificationQuestion {
  const shown = logins.slice(0, namesShown);
  const people = shown.map((login, at) => option(login, `Ask ${login} to review.`, at === 0));
  const without = option(nobody, `Go on without “${name}”.`, shown.length === 0);
  const rest = shown.length === 0 ? [without, option(leave, "Leave everything as it is.", false)] : [without];
  const question = isShared
    ? `Several people could be meant by “${name}”. Who is to review?`
    : `Nobody who can review here is called “${name}”. Who is to review?`;
  return { topic: `Reviewer ${name}`.slice(0, 80), question, options: [...people, ...rest] };
}

function aboutBranch({ from, to }: { from: string; to: string }): ClarificationQuestion {
  return {
    topic: "Target Branch",
    question: `The pull request was opened for ${from}, and the Target Branch is ${to} by now. What is it to be merged into?`,
    options: [
      option(moveTo(to), `It will be merged into ${to}.`, true),
      option(stayOn(from), `It will be merged into ${from}, which becomes the Target Branch again.`, false),
    ],
  };
}

function option(title: string, description: string, isRecommended: boolean): ClarificationOption {
  return { title, description, isRecommended };
}

/** Reads an answer. Null when it does not plainly settle what was asked: it may be something else entirely. */
export function readWishAnswer(wish: Clarity, message: string): WishAnswer | null {
  const questions = questionsOf(wish);
  const parts = partsOf(message, questions);
  if (parts === null || wish.unclear.length > questionsMax - 1) return null;
  const answer: WishAnswer = { names: [], base: null };
  for (const [at, part] of parts.entries()) {
    const unclear = wish.unclear[at];
    if (unclear === undefined) {
      const base = branchMeant(wish, part);
      if (base === null) return null;
      answer.base = base;
    } else {
      const names = namesMeant(unclear, part);
      if (names === null) return null;
      answer.names.push(...names);
    }
  }
  return answer;
}

/** One part for each question, in their order. */
function partsOf(message: string, questions: ClarificationQuestion[]): string[] | null {
  const splits = questions.length === 1 ? [[message]] : [message.split("\n"), message.split(/[;,\n]/)];
  for (const split of splits) {
    const parts = split.map((part) => part.trim()).filter((part) => part !== "");
    if (parts.length !== questions.length) continue;
    return parts.map((part, at) => bare(part, questions[at]?.topic ?? ""));
  }
  return null;
}

/** Without a number or the topic before it, and without quotes around it. */
function bare(part: string, topic: string): string {
  const text = part.replace(/^(\d+[.)]|[-*])\s+/, "");
  const rest = text.toLowerCase().startsWith(`${topic.toLowerCase()}:`) ? text.slice(topic.length + 1) : text;
  return rest
    .trim()
    .replace(/^["“'](.*)["”']$/s, "$1")
    .replace(/\.$/, "");
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function branchMeant({ moved }: Clarity, part: string): string | null {
  if (moved === null) return null;
  const { from, to } = moved;
  if (same(part, moveTo(to)) || part === to) return to;
  return same(part, stayOn(from)) || part === from ? from : null;
}

const wordsMax = 6;

/** An option, or a few words that can be names; whether they are, the code host knows. */
function namesMeant({ logins }: UnclearName, part: string): string[] | null {
  if (same(part, nobody) || /^(nobody|no one|none)$/i.test(part)) return [];
  const chosen = logins.find((login) => same(part.replace(/^@/, ""), login));
  if (chosen !== undefined) return [chosen];
  const words = part.split(/[\s,]+/).filter((word) => word !== "" && !/^(and|&)$/i.test(word));
  const couldBeNames =
    words.length > 0 && words.length <= wordsMax && words.every((word) => /^@?[\p{L}\p{N}._-]+$/u.test(word));
  return couldBeNames ? words : null;
}
