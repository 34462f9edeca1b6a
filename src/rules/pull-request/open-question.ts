// What only the user can say of a pull request that is to be opened: whom a reviewer's name means, and which branch it is for, where the
// Target Branch changed after it was opened. Their next message is the answer; what it means is in `open-answer.ts`.
import type { ClarificationOption, ClarificationQuestion } from "../chat/block.ts";

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
export interface NewPullRequest extends Clarity {
  title: string;
  body: string;
  evidence: string[];
  isDraft: boolean;
  /** The branch that the user has chosen already. */
  base: string | null;
  /** When they were asked; missing where that was not noted. */
  askedAt?: number;
}

const questionsMax = 4;
const namesShown = 3;
const nobody = "No reviewer";
const leave = "Do not open it";
const moveTo = (branch: string) => `Move it to ${branch}`;
const stayOn = (branch: string) => `Leave it on ${branch}`;

/** The questions, with 2 to 4 options each. */
export function questionsOf(clarity: Clarity): ClarificationQuestion[] {
  const questions = namesAsked(clarity).map(aboutName);
  return clarity.moved === null ? questions : [...questions, aboutBranch(clarity.moved)];
}

/** The names that are asked about first; more wait until these are settled. */
export function namesAsked({ unclear }: Clarity): UnclearName[] {
  return unclear.slice(0, questionsMax - 1);
}

/** True for the option that gives the pull request up. */
export const isToLeave = (option: string) => option === leave;

/** The branch that an option of the question about it means; null for another. */
export function movedTo({ moved }: Clarity, option: string | null): string | null {
  if (moved === null || option === null) return null;
  return [moved.to, moved.from].find((branch) => option === moveTo(branch) || option === stayOn(branch)) ?? null;
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
