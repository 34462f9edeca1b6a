// The limits of webhooks, which `limits.ts` exports with all others.

const dayMs = 24 * 60 * 60_000;

/** D "Webhooks": of a workspace. */
export const webhooksMax = 20;
/** D "Webhooks": event patterns of one webhook. */
export const webhookPatternsMax = 40;
/** D "Webhooks": projects of one webhook. */
export const webhookProjectsMax = 100;
/** D "Webhooks". */
export const webhookUrlCharacters = 2_048;
/** D "Webhooks". */
export const webhookNameCharacters = 100;
/** D "Webhooks": the time that a receiver has for its answer. */
export const webhookAnswerMs = 15_000;
/** D "Webhooks": how long the log has a delivery. */
export const webhookLogMs = 30 * dayMs;
/** D "Webhooks": the newest deliveries of one webhook that the log has. */
export const webhookLogRows = 10_000;
/** D "Webhooks": the deliveries of one recover. */
export const webhookRecoverMax = 1_000;
/** D "Webhooks": of one webhook in a minute. */
export const webhookTestsPerMinute = 10;
/** D "Webhooks": how long an old secret may still sign after a rotation. */
export const webhookKeepHoursMax = 168;
