// Limits: every number that the product promises. Names carry units. Comments cite the section of
// the contract.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;

export * from "../account/rules/limits.ts";
export * from "../activity/rules/limits.ts";
export * from "../artifact/rules/limits.ts";
export * from "../audit/rules/limits.ts";
export * from "../chat/rules/limits.ts";
export * from "../checkout/rules/limits.ts";
export * from "../code-host/rules/limits.ts";
export * from "../cron/rules/limits.ts";
export * from "../key/rules/limits.ts";
export * from "../mcp/rules/limits.ts";
export * from "../network/rules/limits.ts";
export * from "../notification/rules/limits.ts";
export * from "../oauth/rules/limits.ts";
export * from "../operator/rules/limits.ts";
export * from "../plugin/rules/limits.ts";
export * from "../preview/rules/limits.ts";
export * from "../project/rules/limits.ts";
export * from "../provider-login/rules/limits.ts";
export * from "../sandbox/rules/limits.ts";
export * from "../session/rules/limits.ts";
export * from "../skill/rules/limits.ts";
export * from "../terminal/rules/limits.ts";
export * from "../trigger/rules/limits.ts";
export * from "../usage/rules/limits.ts";
export * from "../webhook/rules/limits.ts";
export * from "../workspace/rules/limits.ts";

// Texts and events

/**
 * Decisions, "Sizes": of the prompt of a session or a cron in lists, searches and events. A single
 * read returns the whole prompt.
 */
export const listedPromptCharacters = 2_000;
/**
 * Of a prompt, for search. A search reads this much of every session or cron that the caller can
 * access, so it decides how long a search takes.
 */
export const searchedPromptCharacters = 4_000;
/** Decisions, "Sizes": of the events of a workspace in one frame of a socket. */
export const eventBatchBytes = mebibyte;

// Stored objects

/** How long after the start of its upload the sweep deletes a stored object without a row. */
export const unconfirmedObjectMs = 2 * hourMs;

// Effects of objects

/** The tries of about a quarter of an hour. After that, an effect is parked. */
export const triesBeforeParking = 20;
/** The delay before a parked effect is retried, during the first day of its failures. */
export const parkedPauseMs = 5 * minuteMs;
/** The tries of about six minutes, the most that count for an effect that waits. */
export const waitingTries = 12;
/** The tries of about a day. After that, a parked effect is retried less often. */
export const triesInFirstDay = 305;
/** The delay before an effect that failed for a day is retried. */
export const longParkedPauseMs = hourMs;

// Requests

/** Decisions 9. */
export const jsonBodyBytes = 2 * mebibyte;
/** Decisions 10, "Turns and Up next". The parts of a form, among them those without content. */
export const formParts = 1_000;
/**
 * The memory of an isolate of 128 MB for bodies that are read whole, and for parts on their way to
 * storage.
 */
export const bodyMemoryBytes = 64 * mebibyte;
/** How much of a compressed git request that is refused is read and discarded, as sent. */
export const drainedBytes = 1 * mebibyte;
/**
 * The same for an uncompressed request, such as a push: git shows no reason before it has sent
 * everything.
 */
export const drainedPlainBytes = 256 * mebibyte;
/** How long such a request is read and discarded. */
export const drainMs = 60 * secondMs;
/** The timeout of a body that is read whole. */
export const bodyWaitMs = 2 * minuteMs;
/** The timeout of a form: its files together on a slow line. */
export const formWaitMs = hourMs;
/** A caller whose body takes longer is authorized again when it has arrived. */
export const authorizedMs = 5 * secondMs;
/**
 * Of an error of another service, such as a code host or a model provider. The rest is not read.
 */
export const errorBodyBytes = 64 * kibibyte;
/** How long such an error is read. */
export const errorBodyMs = 10 * secondMs;
/** Of any other response of another service that is read whole. */
export const serviceResponseBytes = mebibyte;
/** The timeout of a webhook's body. Senders are programs with good network connections. */
export const webhookWaitMs = 20 * secondMs;
/** A body without a byte for this long is abandoned. */
export const bodyStallMs = 30 * secondMs;
/** Decisions 9: of one key, and of one browser session. */
export const apiKeyRequestsPerMinute = 600;
/**
 * Of one person, over all their API keys and browser sessions. Only tests read this: they compare
 * it with `USER_REQUESTS` in `wrangler.toml`, which sets the limit. So it is with every limit of
 * requests per minute.
 */
export const userRequestsPerMinute = 3_000;
/**
 * Of one visitor: unknown keys, browser sessions that have expired, and webhooks with a wrong
 * signature.
 */
export const failedCredentialsPerMinute = 60;
/** Decisions 5: how long a repeat with an `Idempotency-Key` gets the first response. */
export const idempotencyKeyLifetimeMs = 24 * hourMs;
/** Parts 1 and 2, "Limits": of jobs, Deploys and crons. */
export const pageSizeDefault = 25;
/** Parts 1 and 2, "Limits": larger values are reduced to this (`src/lib/pagination.ts`). */
export const pageSizeMax = 100;
/** Decisions, "Sizes": of one filter of a list, such as the projects. */
export const filterValuesMax = 100;

// Pictures

/** Decisions 11: of a workspace's logo and of a user's picture. */
export const pictureBytes = 1 * mebibyte;
