// What is wrong with the service, from the figures that a probe reads.

const minuteMs = 60_000;

/** A sweep runs each minute. A round over a large table takes a few minutes. */
const sweepLagMaxMs = 30 * minuteMs;
/** A start that takes ten minutes is cancelled, so an older one is not taken care of. */
const startAgeMaxMs = 20 * minuteMs;

export interface HealthFacts {
  /** When each sweep last finished a round; null for one that never did. */
  sweeps: { name: string; finishedAt: number | null }[];
  sandboxes: { running: number; starting: number };
  /** When the oldest start of a sandbox that has not ended began; null without one. */
  oldestStartAt: number | null;
  turns: { running: number; failedLastHour: number };
  parkedEffects: number;
}

export interface Health extends Omit<HealthFacts, "sweeps" | "oldestStartAt"> {
  /** One sentence each. A healthy service has none. */
  problems: string[];
  /** The sweep that finished the longest time ago, of those that did. */
  slowestSweep: { name: string; finishedMsAgo: number } | null;
  oldestStartMs: number | null;
}

/**
 * Describes the health of the service. A parked effect waits for an operator, so it is a problem.
 */
export function toHealth({ sweeps, oldestStartAt, ...facts }: HealthFacts, now: number): Health {
  const finished = sweeps
    .flatMap(({ name, finishedAt }) => (finishedAt === null ? [] : [{ name, finishedMsAgo: now - finishedAt }]))
    .toSorted((one, other) => other.finishedMsAgo - one.finishedMsAgo);
  const oldestStartMs = oldestStartAt === null ? null : now - oldestStartAt;
  const problems = [
    ...finished
      .filter(({ finishedMsAgo }) => finishedMsAgo > sweepLagMaxMs)
      .map(({ name, finishedMsAgo }) => `The sweep "${name}" last finished ${toMinutes(finishedMsAgo)} minutes ago.`),
    ...(oldestStartMs !== null && oldestStartMs > startAgeMaxMs
      ? [`A sandbox has been starting for ${toMinutes(oldestStartMs)} minutes.`]
      : []),
    ...(facts.parkedEffects > 0 ? [`Parked effects: ${facts.parkedEffects}.`] : []),
  ];
  return { problems, ...facts, slowestSweep: finished[0] ?? null, oldestStartMs };
}

const toMinutes = (ms: number) => Math.floor(ms / minuteMs);
