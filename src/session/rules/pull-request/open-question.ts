// The questions about a pull request that only the user can answer: whom a reviewer's name means,
// and which branch to merge into if the Target Branch changed after the pull request was opened.
// The user's next message is the answer.
import type { ClarificationOption, ClarificationQuestion } from "../../../chat/rules/block.ts";
import type { ChosenOption } from "../../../chat/rules/message.ts";

/** What is clear about a command, and what is not. */
export interface Clarity {
  /** The reviewers who are certain. */
  logins: string[];
  unclear: UnclearName[];
  /** The base of the open pull request, and the Target Branch, if they differ. */
  moved: { from: string; to: string } | null;
}

export interface UnclearName {
  name: string;
  /** True if it matches several people. */
  isShared: boolean;
  /** The people it may mean. */
  logins: string[];
}

/** A pull request that waits for the user's answer. */
export interface PendingPullRequest extends Clarity {
  title: string;
  body: string;
  evidence: string[];
  isDraft: boolean;
  /** The branch that the user has chosen already. */
  base: string | null;
  /** When the user was asked. */
  askedAt: number;
}

const questionsMax = 4;
const namesShown = 3;
const nobody = "No reviewer";
const leave = "Do not open it";
const moveTo = (branch: string) => `Move it to ${branch}`;
const stayOn = (branch: string) => `Leave it on ${branch}`;

/** The questions, with 2 to 4 options each. */
export function createQuestions(clarity: Clarity): ClarificationQuestion[] {
  const questions = namesAsked(clarity).map(aboutName);
  return clarity.moved === null ? questions : [...questions, aboutBranch(clarity.moved)];
}

/** The names in the first round of questions. The others are asked once these are settled. */
function namesAsked({ unclear }: Clarity): UnclearName[] {
  return unclear.slice(0, questionsMax - 1);
}

/** True for the option that abandons the pull request. */
const isToLeave = (option: string) => option === leave;

/** The branch that an option of the branch question means; null for any other option. */
function movedTo({ moved }: Clarity, option: string | null): string | null {
  if (moved === null || option === null) return null;
  return [moved.to, moved.from].find((branch) => option === moveTo(branch) || option === stayOn(branch)) ?? null;
}

function aboutName({ name, isShared, logins }: UnclearName): ClarificationQuestion {
  const shown = logins.slice(0, namesShown);
  const people = shown.map((login, at) => option(login, `Ask ${login} to review.`, at === 0));
  const without = option(nobody, `Continue without “${name}”.`, shown.length === 0);
  const rest = shown.length === 0 ? [without, option(leave, "Leave everything as it is.", false)] : [without];
  const question = isShared
    ? `Several people could be meant by “${name}”. Who should review?`
    : `Nobody who can review here is called “${name}”. Who should review?`;
  return { topic: `Reviewer ${name}`.slice(0, 80), question, options: [...people, ...rest] };
}

function aboutBranch({ from, to }: { from: string; to: string }): ClarificationQuestion {
  return {
    topic: "Target Branch",
    question: `The pull request was opened for ${from}, but the Target Branch is now ${to}. Which branch should it be merged into?`,
    options: [
      option(moveTo(to), `It will be merged into ${to}.`, true),
      option(stayOn(from), `It will be merged into ${from}, which becomes the Target Branch again.`, false),
    ],
  };
}

function option(title: string, description: string, isRecommended: boolean): ClarificationOption {
  return { title, description, isRecommended };
}

export interface OpenPrAnswer {
  /** The chosen reviewers. */
  logins: string[];
  /** The names that are still unclear, as they were written. */
  names: string[];
  /** The chosen branch. */
  base: string | null;
  /** True if the pull request is not to be opened. */
  givesUp: boolean;
  /** How many of the questions are settled. */
  settles: "all" | "some" | "nothing";
}

/**
 * Reads the options that a user chose for a pending pull request. Each chosen option counts. The
 * agent interprets what they leave open, or asks the user again.
 */
export function readOpenPrAnswer(pending: Clarity, chosen: readonly ChosenOption[]): OpenPrAnswer {
  const questions = createQuestions(pending);
  const options = questions.map(({ question }) => chosen.find((one) => one.question === question)?.option ?? null);
  const asked = namesAsked(pending).length;
  const answer: Pick<OpenPrAnswer, "logins" | "names"> = { logins: [], names: [] };
  for (const [at, { name, logins }] of pending.unclear.entries()) {
    const option = at < asked ? (options[at] ?? null) : null;
    if (option === null) answer.names.push(name);
    else if (logins.includes(option)) answer.logins.push(option);
  }
  const settled = options.filter((option) => option !== null);
  return {
    ...answer,
    base: movedTo(pending, options[asked] ?? null),
    givesUp: settled.some(isToLeave),
    settles: settled.length === 0 ? "nothing" : settled.length < questions.length ? "some" : "all",
  };
}

/** What the agent reads about the pull request that was pending when its turn started. */
export interface PendingNote {
  note: string;
  /** True if the agent is to continue with the pull request. */
  isOpen: boolean;
}

/** The note for an agent whose user does not want the pull request. */
export function createAbandonedNote(title: string): PendingNote {
  return {
    note: `[The pull request "${title}" waited for this answer. The user does not want it opened, so nothing is done. Say so in one short sentence, and do whatever else their message asks.]`,
    isOpen: false,
  };
}

/** The note for an agent whose pull request the service has opened meanwhile. */
export function createOpenedNote(url: string): PendingNote {
  return {
    note: `[The pull request that waited for this answer is open: ${url}. There is nothing left to do about it. Say so in one short sentence, and do whatever else their message asks.]`,
    isOpen: false,
  };
}

/**
 * The note for an agent that is to read the answer itself. `trouble` is why the service could not
 * use the answer.
 */
export function createPendingNote(pending: PendingPullRequest, trouble: string | null): PendingNote {
  const tried = trouble === null ? "" : ` The service tried to continue with the answer and could not: ${trouble}`;
  const questions = createQuestions(pending).map(({ question }) => question);
  return {
    note:
      `[The pull request "${pending.title}" waits for the user's answer to: ${questions.join(" ")}${tried} If the message below answers that, call ` +
      "open_pull_request with its title and body again, the people that the user means as `reviewers`, with a name that they leave open as it was " +
      "written, and the branch that they chose as `base`. The user is asked again about what they leave open. If it is about something else, leave the pull " +
      "request and do what it says.]",
    isOpen: true,
  };
}
