// The model calls that the practice provider received, newest last. They show which login each call
// used.

export interface PracticeCall {
  /** ISO 8601. */
  at: string;
  provider: string;
  /** The last four characters of the key or the token. */
  credential: string;
  /** The address of the account that signed in; null for a key. */
  account: string | null;
  model: string | null;
  /** `answered`, or the kind of the failure. */
  answer: string;
}

const keptCalls = 10_000;

export interface CallLog {
  note(call: Omit<PracticeCall, "at">): void;
  all(): PracticeCall[];
}

export function createCallLog(): CallLog {
  const calls: PracticeCall[] = [];
  return {
    note(call) {
      calls.push({ at: new Date().toISOString(), ...call });
      if (calls.length > keptCalls) calls.splice(0, keptCalls / 10);
    },
    all: () => calls,
  };
}
