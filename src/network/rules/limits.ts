// The limits of networks, which `limits.ts` exports with all others.

/** Decisions, "Networks". */
export const networkHostsMax = 100;
/** Decisions, "Networks". */
export const networkHostCharacters = 253;
/** Decisions, "Networks": of one sandbox, in what GET reports. */
export const networkSeenMax = 200;
/** Decisions, "Network secrets": of a project. */
export const networkSecretsMax = 50;
/** Decisions, "Network secrets". */
export const networkSecretHostsMax = 10;
/** Decisions, "Network secrets". A shorter value occurs in ordinary responses, too. */
export const networkSecretMinCharacters = 8;
/** Decisions, "Network secrets". Some hosts accept no longer header. */
export const networkSecretMaxCharacters = 4_096;
