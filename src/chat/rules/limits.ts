// The limits of chats, which `limits.ts` exports with all others.

const secondMs = 1_000;
const hourMs = 3_600_000;
const kibibyte = 1_024;
const mebibyte = 1_048_576;

/** Parts 1 and 2, "Limits": of a session and of the Deploy Chat. */
export const queueSize = 20;
/** Decisions 9. */
export const messageContentCharacters = 200_000;
/** Part 1, "Limits". */
export const attachmentCount = 10;
/** Decisions 10: what "10 MB" means. */
export const attachmentBytes = 10_485_760;
/** Decisions 9: a turn without a sign of life for this long fails. */
export const turnSilenceMs = 120 * secondMs;
/** Decisions 9. */
export const longestTurnMs = 4 * hourMs;
/**
 * Decisions 10: of the read-only turns that run concurrently in one sandbox, beside the one that
 * works.
 */
export const readingTurnsMax = 16;
/** The longest result of a tool for a read-only agent; longer results are cut. */
export const readingAnswerBytes = 32 * kibibyte;
/** Of the events of one turn together, each with its row of storage. */
export const turnLinkBytes = 256 * mebibyte;
/** Decisions 5: of one tool's output in the transcript. */
export const toolOutputBytes = 32 * kibibyte;
/** Of the live pieces of one running tool's output. */
export const toolOutputPiecesPerSecond = 4;
/** Of the live pieces of a turn's running tools together. */
export const turnOutputPiecesPerSecond = 16;
/** Of one tool's output in storage, in addition to the transcript. */
export const fullToolOutputBytes = 25 * mebibyte;
/** Part 1, "Message". */
export const clarificationOptionsMin = 2;
/** Part 1, "Message". */
export const clarificationOptionsMax = 4;
/**
 * Decisions, "Pages of a conversation": user messages and blocks; larger values are reduced to
 * this.
 */
export const messagePageParts = 500;
/** Decisions, "Pages of a conversation": a page with more than one part has at most this. */
export const messagePageBytes = mebibyte;
/** Of a conversation on the page of its session, the newest part. */
export const pageConversationBytes = 2 * mebibyte;
export const pageConversationMessages = 100;
/** Decisions, "Start of a sandbox": how often its steps are sent at most. */
export const bootReportsEveryMs = 250;
/**
 * Decisions, "Results": of the JSON Schema of a result, with its definitions where they are used.
 */
export const resultSchemaBytes = 16 * kibibyte;
/** Decisions, "Results": of schemas in schemas. */
export const resultSchemaDepth = 10;
/** Of a schema's `anyOf`, `oneOf` and `allOf` together, because each looks at the same value. */
export const resultAlternativesMax = 50;
/** Decisions, "Results": of a result, as JSON. */
export const resultBytes = 64 * kibibyte;
/** Of values in values of a result. */
export const resultDepth = 64;
/** Decisions, "Start of a sandbox": of the end of the setup's output. */
export const bootLogBytes = 2 * kibibyte;
