// How much is sampled: enough for steady medians within a few minutes, or a quick look.
import type { Rounds } from "./samples.ts";

export interface Sizes {
  firstTurns: number;
  warmTurns: number;
  startingSends: number;
  queuedSends: number;
  polls: Rounds;
  shortReads: Rounds;
  longReads: Rounds;
  previews: Rounds;
  restarts: number;
}

export const fullSizes: Sizes = {
  firstTurns: 5,
  warmTurns: 15,
  startingSends: 40,
  queuedSends: 240,
  polls: { warmUp: 100, count: 500 },
  shortReads: { warmUp: 40, count: 200 },
  longReads: { warmUp: 2, count: 15 },
  previews: { warmUp: 100, count: 500 },
  restarts: 3,
};

export const quickSizes: Sizes = {
  firstTurns: 2,
  warmTurns: 6,
  startingSends: 10,
  queuedSends: 60,
  polls: { warmUp: 50, count: 150 },
  shortReads: { warmUp: 20, count: 50 },
  longReads: { warmUp: 1, count: 5 },
  previews: { warmUp: 50, count: 200 },
  restarts: 1,
};
