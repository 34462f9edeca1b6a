// An axis with round numbers, from zero.

export interface Axis {
  /** From zero to the end of the axis. */
  ticks: number[];
  end: number;
}

const roundSteps = [1, 2, 2.5, 5, 10];

/**
 * The axis for values up to `max`, in at most `intervals` equal steps. With `isWhole`, no tick is
 * a fraction.
 */
export function makeAxis(max: number, { intervals = 4, isWhole = false } = {}): Axis {
  if (max <= 0) return { ticks: [0, 1], end: 1 };
  const rough = max / intervals;
  const power = 10 ** Math.floor(Math.log10(rough));
  const usable = roundSteps.map((step) => step * power).filter((step) => !isWhole || Number.isInteger(step));
  const step = usable.find((one) => one * intervals >= max * (1 - 1e-9)) ?? 1;
  const count = Math.max(1, Math.ceil(max / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
  return { ticks, end: ticks.at(-1) ?? 1 };
}
