// The limits of people, which `limits.ts` exports with all others.

/** Of the name of a user. */
export const userNameCharactersMax = 100;
