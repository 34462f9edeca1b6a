// Samples in milliseconds. Compared sides are sampled alternately and in alternating order, so that
// other load on the machine affects all of them equally.

export type Samples = number[];

export interface Rounds {
  /** The number of first rounds that are not counted. */
  warmUp: number;
  count: number;
}

/** Samples several sides alternately. Each function returns the milliseconds that it measured. */
export async function measureSideBySide<Side extends string>(
  rounds: Rounds,
  sides: Record<Side, () => Promise<number>>,
  /** Restores the state before each round. */
  between: () => Promise<void> = async () => {},
): Promise<Record<Side, Samples>> {
  const order = Object.keys(sides) as Side[];
  const samples = Object.fromEntries(order.map((side): [Side, Samples] => [side, []])) as Record<Side, Samples>;
  for (let round = 0; round < rounds.warmUp + rounds.count; round++) {
    for (const side of order) {
      const ms = await sides[side]();
      if (round >= rounds.warmUp) samples[side].push(ms);
    }
    order.reverse();
    await between();
  }
  return samples;
}

export function median(samples: Samples): number {
  return atShare(samples, 0.5);
}

export function percentile95(samples: Samples): number {
  return atShare(samples, 0.95);
}

function atShare(samples: Samples, share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const found = sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)];
  if (found === undefined) throw new RangeError("nothing was sampled");
  return found;
}
