// The limits of previews, which `limits.ts` exports with all others.

const secondMs = 1_000;
const minuteMs = 60_000;

/** 1 Limits: a preview read responds within this time. */
export const previewWakeWaitMs = 2 * secondMs;
/**
 * 1 Limits: if another operation holds the sandbox longer, a preview read responds without
 * frontends.
 */
export const sandboxHeldWaitMs = 5 * secondMs;
/** 1 Limits, D 5: of the Auth Token in a preview's URL. */
export const authTokenLifetimeMs = 15 * minuteMs;
/** 1 Limits: `lastViewedAt` is written at most this often. */
export const lastViewedAccuracyMs = 5 * minuteMs;
/** 1 Limits. */
export const sharedPreviewRequestsPerMinute = 60;
