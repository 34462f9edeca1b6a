// The limits of keys, which `limits.ts` exports with all others.

const minuteMs = 60_000;

/** API keys of a user, and relay keys of a workspace. */
export const keysMax = 500;
/** Of an API key or a relay key. */
export const keyNameCharactersMax = 100;
/** The accuracy of an API key's `lastUsedAt`. */
export const keyUseAccuracyMs = 5 * minuteMs;
