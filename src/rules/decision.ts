// A decision: what every rule returns. A rule takes state, command, facts and the time, and answers with a refusal or with the
// state to keep, the answer to give and the effects to perform once that state is safe.
import type { Refusal } from "./refusal.ts";

export interface Decided<State, Answer, Effect> {
  state: State;
  answer: Answer;
  effects: Effect[];
}

export type Decision<State, Answer, Effect> = Decided<State, Answer, Effect> | Refusal;

/** Builds the accepting side of a decision. */
export function decided<State, Answer, Effect>(
  state: State,
  answer: Answer,
  effects: Effect[] = [],
): Decided<State, Answer, Effect> {
  return { state, answer, effects };
}
