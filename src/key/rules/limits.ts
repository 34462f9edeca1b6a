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
/** Sign-ins from a terminal that one visitor starts per minute, and codes that one person types. */
export const deviceSignInsPerMinute = 10;
/** How long a sign-in from a terminal can be approved and completed. */
export const deviceSignInMs = 15 * minuteMs;
/** How long a terminal waits before it asks again. */
export const devicePollSeconds = 5;
/** Of the name that a program gives itself. */
export const clientNameCharactersMax = 100;
/** How long the key of a terminal is valid, unless the person chooses otherwise. */
export const deviceKeyMs = 90 * dayMs;
/** The accuracy of an API key's `lastUsedAt`. */
export const keyUseAccuracyMs = 5 * minuteMs;
