// The limits of previews, which `limits.ts` exports with all others.

const secondMs = 1_000;
const minuteMs = 60_000;

/** Part 1, "Limits": a preview read responds within this time. */
export const previewWakeWaitMs = 2 * secondMs;
/**
 * Part 1, "Limits": if another operation holds the sandbox longer, a preview read responds without
 * frontends.
 */
export const sandboxHeldWaitMs = 5 * secondMs;
/** Part 1, "Limits", and decisions 5: of the Auth Token in a preview's URL. */
export const authTokenLifetimeMs = 15 * minuteMs;
/** Part 1, "Limits": `lastViewedAt` is written at most this often. */
export const lastViewedAccuracyMs = 5 * minuteMs;
/** Part 1, "Limits". */
export const sharedPreviewRequestsPerMinute = 60;
