// A finding: the result of one measurement, with the peer's result. The bar is the highest allowed
// value.
import { median, percentile95, type Samples } from "./samples.ts";

export interface Finding {
  name: string;
  value: number;
  unit: "ms" | "KB" | "MB" | "times" | "rows" | "nodes" | "requests" | "cents";
  /** The peer's result in the same unit; null without a peer. */
  against: number | null;
  /** `value` divided by `against`. */
  ratio: number | null;
  /** The limit of the ratio if there is one, otherwise of the value; null for information only. */
  bar: number | null;
  /** Null without a bar, or if the peer is missing. */
  holds: boolean | null;
  /** For the table: the 95th percentiles of both sides, and a note. */
  p95: number | null;
  againstP95: number | null;
  note: string | null;
}

type Unit = Finding["unit"];

/** Times compared with those of a peer. The bar limits the ratio of the medians. */
export function toComparedFinding(
  name: string,
  own: Samples,
  peer: Samples,
  bar: number | null,
  note?: string,
): Finding {
  const value = median(own);
  const against = median(peer);
  const ratio = value / against;
  return {
    name,
    value,
    unit: "ms",
    against,
    ratio,
    bar,
    holds: bar === null ? null : ratio <= bar,
    p95: percentile95(own),
    againstP95: percentile95(peer),
    note: note ?? null,
  };
}

/** The same for the 95th percentiles of both. */
export function toComparedTailFinding(name: string, own: Samples, peer: Samples, bar: number): Finding {
  const [value, against] = [percentile95(own), percentile95(peer)];
  const ratio = value / against;
  return { ...toCountedFinding(name, value, "ms", bar), against, ratio, holds: ratio <= bar };
}

/** Times with a fixed bar in milliseconds, or for information. */
export function toTimedFinding(name: string, own: Samples, barMs: number | null, note?: string): Finding {
  return { ...toCountedFinding(name, median(own), "ms", barMs, note), p95: percentile95(own) };
}

/** A single number with a fixed bar, or for information. */
export function toCountedFinding(name: string, value: number, unit: Unit, bar: number | null, note?: string): Finding {
  const holds = bar === null ? null : value <= bar;
  return { name, value, unit, against: null, ratio: null, bar, holds, p95: null, againstP95: null, note: note ?? null };
}

/** A comparison whose peer is missing: the bar is shown but not checked. */
export function toFindingWithoutPeer(name: string, own: Samples, bar: number, note: string): Finding {
  return { ...toTimedFinding(name, own, null, note), bar };
}
