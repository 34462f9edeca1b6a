// The limits of sessions, which `limits.ts` exports with all others.

/** D 10: of one session. */
export const metadataKeysMax = 50;
export const metadataKeyCharactersMax = 40;
export const metadataValueCharactersMax = 500;
/** Of all keys and values together, because each list repeats them. */
export const metadataCharactersMax = 10_000;
/** The conditions of one list. */
export const metadataFiltersMax = 10;
