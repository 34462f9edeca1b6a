// The limits of the operator, which `limits.ts` exports with all others.

/** The maximum number of parked effects in a list for an operator, the oldest first. */
export const parkedListed = 100;
/** The maximum number of workspaces, or of people, in a list for an operator. */
export const operatorListed = 500;
/** A shorter key of the operator could be guessed. */
export const operatorKeyCharactersMin = 32;
