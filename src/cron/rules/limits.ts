// The limits of crons, which `limits.ts` exports with all others.

const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const kibibyte = 1_024;

/** Part 2, "Limits". */
export const cronNameCharactersMin = 1;
/** Part 2, "Limits". */
export const cronNameCharactersMax = 100;
/** Part 2, "Limits": the shortest time between two fires. */
export const cronFloorMs = 15 * minuteMs;
/** Of the five fields together. */
export const cronExpressionCharactersMax = 1_000;
/** Decisions 11. */
export const cronPromptCharactersMax = 200_000;
/** Of a schedule that is not saved yet. */
export const cronPreviewFiresMax = 20;
/** Decisions 11. */
export const cronsPerWorkspace = 1_000;
/** Decisions, "Sizes": of the rows of runs, with what belongs to them. */
export const cronRunsKeptMs = 90 * dayMs;
/** Decisions 11: the newest missed slot still fires if it is at most this late. */
export const missedSlotRunsMs = 6 * hourMs;
/** Decisions 11: the other missed slots within this time leave skipped runs. */
export const missedSlotRowsMs = 24 * hourMs;
/** Part 2, "Limits": at the limit the run ends `failed`. */
export const longestCronRunMs = 60 * minuteMs;
/** A run whose object does not respond for this long is abandoned. */
export const longestCronRunOpeningMs = 2 * minuteMs;
/** A run's key expires with the run. This only limits the key of a run whose end was lost. */
export const cronRunKeyLifetimeMs = longestCronRunMs + 5 * minuteMs;
/** Part 2, "Limits": consecutive failed runs that pause a project in a cron. */
export const failedRunsBeforePause = 5;
/** Part 2, "Limits". */
export const runNowWaitMs = 10 * secondMs;
/** Part 2, "Limits". */
export const diagnosticsLogBytes = 256 * kibibyte;
/** Part 2, "Limits". */
export const diagnosticsLogLifetimeMs = 30 * dayMs;
