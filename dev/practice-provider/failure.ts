// What a provider may refuse a request for. Each wire says it in its own words.

/** The failures that a script may ask for. */
export const scriptedFailures = ["context_window_exceeded", "overloaded", "rate_limited", "unauthorized"] as const;
export type ScriptedFailure = (typeof scriptedFailures)[number];

export type Failure =
  | { kind: ScriptedFailure }
  /** The login behind the key has used up what it may use. */
  | { kind: "limit_reached" }
  /** The key is good, but its membership lacks the model. */
  | { kind: "model_not_included"; model: string }
  | { kind: "bad_request"; message: string }
  | { kind: "not_found"; path: string };

/** A failure as a provider answers it over HTTP. */
export interface FailureAnswer {
  status: number;
  headers: Record<string, string>;
  body: object;
}
