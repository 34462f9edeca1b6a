// The limits of networks, which `limits.ts` exports with all others.

/** D "Networks". */
export const networkHostsMax = 100;
/** D "Networks". */
export const networkHostCharacters = 253;
/** D "Networks": of one sandbox, in what GET reports. */
export const networkSeenMax = 200;
/** D "Network secrets": of a project. */
export const networkSecretsMax = 50;
/** D "Network secrets". */
export const networkSecretHostsMax = 10;
/** D "Network secrets". A shorter value occurs in ordinary responses, too. */
export const networkSecretMinCharacters = 8;
/** D "Network secrets". Some hosts accept no longer header. */
export const networkSecretMaxCharacters = 4_096;
