// The failures of a provider. Each wire has its own form for them.

/**
 * The failures that a script can request. `unauthorized` refuses the call and not its key, because
 * a refused key has to be connected again.
 */
export const scriptedFailures = ["context_window_exceeded", "overloaded", "rate_limited", "unauthorized"] as const;
export type ScriptedFailure = (typeof scriptedFailures)[number];

export type Failure =
  | { kind: ScriptedFailure }
  /** The key is invalid. The hint is for people who type the key of a real provider. */
  | { kind: "unknown_key"; hint?: string }
  /** The login of the key has used up its allowance. */
  | { kind: "limit_reached"; provider: string }
  /** The login of the key or the account was ended. */
  | { kind: "revoked" }
  /** The encrypted reasoning of a conversation was created under another account. */
  | { kind: "foreign_reasoning"; id: string }
  /** The key is valid, but its plan lacks the model. */
  | { kind: "model_not_included"; model: string }
  | { kind: "bad_request"; message: string }
  | { kind: "not_found"; path: string };

/** A provider's words for a key that it does not know, with what the person may need to know. */
export const addHint = (words: string, failure: Failure): string =>
  "hint" in failure ? `${words.replace(/\.$/, "")}. ${failure.hint}` : words;

/** How long a limit lasts after it is reached. */
export const limitLastsSeconds = 3600;

/** The HTTP response of a failure. */
export interface FailureAnswer {
  status: number;
  headers: Record<string, string>;
  body: object;
}
