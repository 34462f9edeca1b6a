// The limits of keys, which `limits.ts` exports with all others.

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Browser sessions of one person. A new one ends the oldest. */
export const browserSessionsMax = 100;
/** How long a browser stays signed in. */
export const browserSessionMs = 30 * dayMs;
/** API keys of a user, and relay keys of a workspace. */
export const keysMax = 500;
/** Of an API key or a relay key. */
export const keyNameCharactersMax = 100;
/** The accuracy of an API key's `lastUsedAt`. */
export const keyUseAccuracyMs = 5 * minuteMs;
