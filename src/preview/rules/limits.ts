// The limits of previews, which `limits.ts` exports with all others.

const secondMs = 1_000;
const minuteMs = 60_000;
const mebibyte = 1_024 * 1_024;

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
/** Of all WebSockets of a sandbox, to its services, and as much to visitors, in one window. */
export const previewRelayBytes = 32 * mebibyte;
/** The length of such a window. */
export const previewRelayMs = 10 * secondMs;
