// A decision, which every rule returns. A rule takes the state, a command, facts and the time. It
// returns a refusal, or the next state, the result and the effects. Effects run once the state is
// stored.
import type { Refusal } from "./refusal.ts";

export interface Decided<State, Result, Effect> {
  state: State;
  result: Result;
  effects: Effect[];
}

export type Decision<State, Result, Effect> = Decided<State, Result, Effect> | Refusal;

/** Builds an accepting decision. */
export function decided<State, Result, Effect>(
  state: State,
  result: Result,
  effects: Effect[] = [],
): Decided<State, Result, Effect> {
  return { state, result, effects };
}
