// The idle tail: how long a sandbox stays up after its last use. It is worth as much as the waits
// that it saves.
import { awayHoldMs, idleBeforePauseMs, shortestTailMs } from "../../rules/limits.ts";

/**
 * What a sandbox remembers across its lives. All times are in milliseconds, and each list has its
 * newest first.
 */
export interface Past {
  /** How long its starts from saved work took, from the request to the running program. */
  wakesMs?: number[];
  /** How long its last save took. */
  saveMs?: number;
  /** The times without a turn, each from the end of one turn to the beginning of the next. */
  gapsMs?: number[];
  /** When the start in progress was requested. */
  wokenAt?: number;
  /** The end of the last turn; left out while a turn runs. */
  restingSince?: number;
  /** When a person last followed its chat. */
  readAt?: number;
}

/** Few, because sandboxes grow and habits change. */
const keptWakes = 3;
const keptGaps = 8;

/**
 * How long a sandbox may idle to save a person a second of waiting. `docs/cost.md` has the
 * simulation that this was chosen by.
 */
const worthOfWait = 90;
/** A pause and the wake after it cost as much as so much idle time, whatever anybody waits. */
const pauseCostMs = 20_000;
/** The wake of a sandbox that was never saved. */
const unknownWakeMs = 5_000;
/** A wake takes this much longer than a save, until the sandbox has been woken. */
const bootMs = 1_000;
/** The gaps between turns in general. They count beside the sandbox's own gaps. */
const usualGapsMs = [30_000, 90_000, 150_000, 240_000, 420_000, 1_200_000, 3_600_000, 14_400_000];
/** A tail spans a gap with some room, because no gap is exactly as long as an earlier one. */
const marginMs = 10_000;

/** How long the next wake is expected to take, in milliseconds. */
export function getExpectedWakeMs({ wakesMs = [], saveMs }: Past): number {
  const woken = wakesMs.reduce((sum, ms) => sum + ms, 0) / wakesMs.length;
  if (saveMs === undefined) return wakesMs.length === 0 ? unknownWakeMs : woken;
  // Work that has grown since the last wake takes longer to save, and will take longer to restore.
  return wakesMs.length === 0 ? saveMs + bootMs : Math.max(woken, saveMs);
}

/**
 * How long the sandbox stays up after its last use if nobody follows its chat, in milliseconds. A
 * tail is worth the waits of the gaps that it spans, less the time that it idles in all of them,
 * and the most valuable one is chosen. No tail is longer than what one wake is worth, so that a
 * sandbox that is never used again costs at most twice as much as one that is.
 */
export function getTailMs(past: Past, worth = worthOfWait): number {
  const wakeMs = getExpectedWakeMs(past) * worth + pauseCostMs;
  const longestMs = Math.min(Math.max(wakeMs, shortestTailMs), idleBeforePauseMs);
  const gaps = [...usualGapsMs, ...(past.gapsMs ?? [])];
  const getValue = (ms: number) => gaps.reduce((sum, gap) => sum + (gap <= ms ? wakeMs - gap : -ms), 0);
  return gaps
    .map((gap) => Math.min(Math.max(gap + marginMs, shortestTailMs), longestMs))
    .reduce((best, ms) => (getValue(ms) > getValue(best) ? ms : best), shortestTailMs);
}

/**
 * `awayHoldMs` of a preview read: how long the sandbox stays up after its last work if nobody
 * looks. `leastMs` is the time that its machine keeps sandboxes.
 */
export function getAwayHoldMs(past: Past, leastMs: number): number {
  return Math.max(Math.min(getTailMs(past), awayHoldMs), leastMs);
}

/** The start that was requested is done. Counts as a wake if it restored saved work. */
export function withWake({ wokenAt, ...past }: Past, isRestored: boolean, now: number): Past {
  if (!isRestored || wokenAt === undefined) return past;
  return { ...past, wakesMs: [now - wokenAt, ...(past.wakesMs ?? [])].slice(0, keptWakes) };
}

/** A turn begins. Only the first one after a rest ends a gap. */
export function withGap(past: Past, now: number): Past {
  const { restingSince, ...rest } = past;
  if (restingSince === undefined) return past;
  return { ...rest, gapsMs: [now - restingSince, ...(past.gapsMs ?? [])].slice(0, keptGaps) };
}
