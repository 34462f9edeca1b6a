// The limits of triggers, which `limits.ts` exports with all others.

/** Decisions, "Triggers": of a project. */
export const triggersMax = 50;
/** Decisions, "Triggers". */
export const triggerNameCharacters = 100;
/** Decisions, "Triggers". */
export const triggerPromptCharacters = 20_000;
/** Decisions, "Triggers": the values of one filter. */
export const triggerFilterValuesMax = 50;
/** Decisions, "Triggers": the programs of one trigger. */
export const triggerBotsMax = 100;
/** Decisions, "Triggers": mentions by an account of no member in 24 hours. */
export const triggerWriterPerDay = 5;
/** Decisions, "Triggers": of one value of a filter. */
export const triggerPatternCharacters = 200;
/** Decisions, "Triggers": messages of one trigger in 24 hours. */
export const triggerPerDayMax = 500;
/** Decisions, "Triggers": automatic messages to one session, until a person writes. */
export const triggerAttemptsMax = 10;
/** Decisions, "Triggers": the lowest limit of a trigger, in US dollars. */
export const triggerUsdMin = 0.01;
/** Decisions, "Triggers": `do.sessionLimitUsd` unless it is set, in US dollars. */
export const triggerSessionUsd = 5;
/** Decisions, "Triggers": messages of other triggers that may wait Up next of one session. */
export const triggerWaitingMax = 3;
/** Decisions, "Triggers": of one quoted text. */
export const triggerQuoteCharacters = 20_000;
/** Decisions, "Triggers": of all quoted texts of one message. */
export const triggerQuotesCharacters = 100_000;
/** Decisions, "Triggers": of the answer in a comment. */
export const triggerAnswerCharacters = 4_000;
/** Decisions, "Triggers": comments of one review. */
export const triggerReviewComments = 50;
/** Decisions, "Triggers": of a request to an HTTP trigger. */
export const triggerRequestBytes = 256 * 1_024;
/** Decisions, "Triggers": of the quoted JSON of a request; deeper values are left out. */
export const triggerRequestLevels = 20;
/** Decisions, "Triggers": requests to one HTTP trigger. */
export const triggerRequestsPerMinute = 60;
/** Decisions, "Triggers": between the time of a signature and the service's clock. */
export const triggerSignatureMs = 5 * 60_000;
/** Decisions, "Triggers": of the text at `when.place` or `when.cause`. */
export const triggerPlaceCharacters = 200;
/** Decisions, "Triggers": how long the runs of a trigger are listed. */
export const triggerRunsMs = 90 * 24 * 60 * 60_000;
