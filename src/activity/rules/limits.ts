// The limits of the activity feed, which `limits.ts` exports with all others.

const dayMs = 86_400_000;

/** Part 2, "Limits". */
export const activityWindowMs = 30 * dayMs;
/** Part 2, "Limits". */
export const activityPageSizeDefault = 50;
/** Part 2, "Limits": larger values are reduced to this. */
export const activityPageSizeMax = 200;
