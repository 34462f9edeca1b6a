// The limits of logins at model providers, which `limits.ts` exports with all others.

const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** Part 2, "Limits": of one provider per user. */
export const loginsPerProvider = 5;
/** Part 2, "Limits". */
export const loginTokenLifetimeMs = 15 * minuteMs;
/** Part 2, "Usage answer": percent. */
export const utilizationMax = 100;
/** Part 2, "Usage answer": of the two windows. */
export const sessionUsageWindowMs = 5 * hourMs;
export const weekUsageWindowMs = 7 * dayMs;
/** Of one person: API keys of model providers that are tested before they are saved. */
export const keyTrialsPerMinute = 30;
/** How long a provider's report of a login's usage is cached. */
export const usageAgeMaxMs = 30 * secondMs;
