// The limits of usage, which `limits.ts` exports with all others.

const secondMs = 1_000;

/** The highest limit of a workspace's month or a session, in US dollars. */
export const spendLimitUsdMax = 1_000_000;
/** The maximum number of groups in a usage report, the most expensive ones. */
export const usageGroupsMax = 1_000;
/** The maximum number of days or months in a usage report: a year of days, and some more. */
export const usageIntervalsMax = 400;
/**
 * The longest time until the usage of a response reaches the workspace. Concurrent turns may exceed
 * limits by that much.
 */
export const usageReportMs = 30 * secondMs;
