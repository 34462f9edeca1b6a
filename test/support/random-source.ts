// A seeded random source, so that a failing run can be repeated.

export interface RandomSource {
  /** An integer from 0 to `end`, exclusive. */
  below(end: number): number;
  /** True with a probability of 1 in `times`. */
  oneIn(times: number): boolean;
  /** One of these. */
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** Creates the source of a seed. The generator is mulberry32. */
export function randomSource(seed: number): RandomSource {
  let mixed = seed;

  function below(end: number): number {
    mixed = (mixed + 0x6d2b79f5) | 0;
    let bits = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (values) => values[below(values.length)] ?? values[0],
  };
}
