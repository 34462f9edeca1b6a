// The limits of sandboxes, which `limits.ts` exports with all others.

const minuteMs = 60_000;

/**
 * Decisions 9, "Idle": after the last view of a preview, a file or a terminal, whose tab may still
 * be in front. Also the longest tail of a sandbox whose chat a person followed.
 */
export const idleBeforePauseMs = 10 * minuteMs;
/**
 * A paused main sandbox is deleted after this many days without use; a Recovery Deploy creates
 * another.
 */
export const unusedMainDays = 30;
/**
 * An ended session can no longer be woken. This many days after its end its saved work is dropped,
 * and with it the hold on its base.
 */
export const endedWorkDays = 14;
/** Decisions 9, "Idle": the shortest time that an idle sandbox stays up. */
export const shortestTailMs = 40_000;
/**
 * Decisions 9, "Idle": the longest time after its last work if nobody views it, and `awayHoldMs` in
 * the response of a preview read that has no sandbox.
 */
export const awayHoldMs = 300_000;
/** Part 1, "Limits". */
export const sessionsPerStopSandboxes = 50;
/** Decisions 5: letters and digits after the `s` or `m` of a sandbox key. */
export const sandboxKeyCharacters = 16;
