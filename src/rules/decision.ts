// A decision: the result of every rule. A rule takes the state, a command, facts and the time. It
// returns a refusal, or the new state, the answer, and the effects to run once the state is stored.
import type { Refusal } from "./refusal.ts";

export interface Decided<State, Answer, Effect> {
  state: State;
  answer: Answer;
  effects: Effect[];
}

export type Decision<State, Answer, Effect> = Decided<State, Answer, Effect> | Refusal;

/** Builds an accepting decision. */
export function decided<State, Answer, Effect>(
  state: State,
  answer: Answer,
  effects: Effect[] = [],
): Decided<State, Answer, Effect> {
  return { state, answer, effects };
}
