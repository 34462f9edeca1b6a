// Reads the options that a user chose for a pending pull request. Each chosen option counts. What they leave open is read by the agent, or
// asked again.
import type { ChosenOption } from "../../../chat/rules/message.ts";
import { type Clarity, isToLeave, movedTo, namesAsked, questionsOf } from "./open-question.ts";

export interface OpenPrAnswer {
  /** The chosen reviewers. */
  logins: string[];
  /** The names that are still open, as they were written. */
  names: string[];
  /** The chosen branch. */
  base: string | null;
  /** True when the pull request is not to be opened. */
  givesUp: boolean;
  /** How many of the questions are settled. */
  settles: "all" | "some" | "nothing";
}

/** Reads the chosen options of the questions about a pull request. */
export function readOpenPrAnswer(pending: Clarity, chosen: readonly ChosenOption[]): OpenPrAnswer {
  const questions = questionsOf(pending);
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
