// The limits of sessions, which `limits.ts` exports with all others.

const dayMs = 86_400_000;

/** A person's session has depth 0, and a session that its agent files depth 1. */
export const filedDepthMax = 3;
/** Of one turn. */
export const filedPerTurnMax = 20;
/** Decisions, "Requests": of the end of an id, or a branch, that names a session. */
export const sessionRefCharactersMin = 6;
/** Sessions of one workspace that wait in its Backlog. */
export const backlogPerWorkspace = 5_000;
/** Part 2, "Limits": an open pull request without activity for this long is stale. */
export const stalePullRequestMs = 3 * dayMs;
/** Decisions 10: of one session. */
export const metadataKeysMax = 50;
export const metadataKeyCharactersMax = 40;
export const metadataValueCharactersMax = 500;
/** Of all keys and values together, because each list repeats them. */
export const metadataCharactersMax = 10_000;
/** Decisions, "Message search": of one message, of one query, and of its words. */
export const indexedMessageCharacters = 4_000;
export const messageSearchCharactersMax = 200;
export const messageSearchTermsMax = 16;
/** The newest matches that have pages. */
export const messageMatchesMax = 1_000;
/** The user messages of one turn that are searched. */
export const indexedMessagesPerTurn = 50;
/** Of the first message, as a model reads it for a title. */
export const titledMessageCharacters = 4_000;
/** Of a generated title. */
export const generatedTitleCharacters = 60;
/** The conditions of one list. */
export const metadataFiltersMax = 10;
/** The platform keeps every state of an object for this long. */
export const sessionRestoreMs = 30 * dayMs;
/** Decisions, "Places": of the name of a place, and of the name and the id of a relay's sender. */
export const placeIdCharacters = 200;
export const relaySenderCharacters = 100;
