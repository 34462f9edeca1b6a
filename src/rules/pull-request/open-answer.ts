// What the options that a user chose mean to a pull request that waits for their answer. Whatever they settle counts, and what they leave open
// is the agent's to read, or asked again.
import type { ChosenOption } from "../chat/message.ts";
import { type Clarity, isToLeave, movedTo, namesAsked, questionsOf } from "./open-question.ts";

export interface WishAnswer {
  /** Who is chosen. */
  logins: string[];
  /** The names that are left open, as they were written. */
  names: string[];
  /** The branch that is chosen. */
  base: string | null;
  /** True when the pull request is not to be opened. */
  givesUp: boolean;
  /** How much of what was asked is settled. */
  settles: "all" | "some" | "nothing";
}

/** Reads the options chosen of the questions about a pull request. */
export function readWishAnswer(wish: Clarity, chosen: readonly ChosenOption[]): WishAnswer {
  const questions = questionsOf(wish);
  const options = questions.map(({ question }) => chosen.find((one) => one.question === question)?.option ?? null);
  const asked = namesAsked(wish).length;
  const answer: Pick<WishAnswer, "logins" | "names"> = { logins: [], names: [] };
  for (const [at, { name, logins }] of wish.unclear.entries()) {
    const option = at < asked ? (options[at] ?? null) : null;
    if (option === null) answer.names.push(name);
    else if (logins.includes(option)) answer.logins.push(option);
  }
  const settled = options.filter((option) => option !== null);
  return {
    ...answer,
    base: movedTo(wish, options[asked] ?? null),
    givesUp: settled.some(isToLeave),
    settles: settled.length === 0 ? "nothing" : settled.length < questions.length ? "some" : "all",
  };
}
