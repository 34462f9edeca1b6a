// The limits of people, which `limits.ts` exports with all others.

const dayMs = 86_400_000;

/** Of one person. A new one ends the oldest. */
export const browserSessionsMax = 100;
/** How long a browser stays signed in. */
export const browserSessionMs = 30 * dayMs;
/** Of the name of a user. */
export const userNameCharactersMax = 100;
