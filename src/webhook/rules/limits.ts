// The limits of webhooks, which `limits.ts` exports with all others.

const dayMs = 24 * 60 * 60_000;

/** Decisions, "Webhooks": of a workspace. */
export const webhooksMax = 20;
/** Decisions, "Webhooks": event patterns of one webhook. */
export const webhookPatternsMax = 40;
/** Decisions, "Webhooks": projects of one webhook. */
export const webhookProjectsMax = 100;
/** Decisions, "Webhooks". */
export const webhookUrlCharacters = 2_048;
/** Decisions, "Webhooks". */
export const webhookNameCharacters = 100;
/** Decisions, "Webhooks": the time that a receiver has for its answer. */
export const webhookAnswerMs = 15_000;
/** Decisions, "Webhooks": how long the log has a delivery. */
export const webhookLogMs = 30 * dayMs;
/** Decisions, "Webhooks": the newest deliveries of one webhook that the log has. */
export const webhookLogRows = 10_000;
/** Decisions, "Webhooks": the deliveries of one recover. */
export const webhookRecoverMax = 1_000;
/** Decisions, "Webhooks": of one webhook in a minute. */
export const webhookTestsPerMinute = 10;
/** Decisions, "Webhooks": how long an old secret may still sign after a rotation. */
export const webhookKeepHoursMax = 168;
