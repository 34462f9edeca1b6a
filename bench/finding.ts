// A finding: what one measure came to, next to what it is held against. The bar is the most that it may be.
import { median, percentile95, type Samples } from "./samples.ts";

export interface Finding {
  name: string;
  value: number;
  unit: "ms" | "KB" | "times" | "rows";
  /** What the peer came to, in the same unit; null where there is none. */
  against: number | null;
  /** `value` over `against`. */
  ratio: number | null;
  /** Bounds the ratio where there is one, else the value; null for what is shown for information alone. */
  bar: number | null;
  /** Null without a bar, or without the peer that it is about. */
  holds: boolean | null;
  /** For readers of the table: the 95th percentiles of both sides, and what is to be said besides. */
  p95: number | null;
  againstP95: number | null;
  note: string | null;
}

type Unit = Finding["unit"];

/** Times held against those of a peer; the bar bounds the ratio of the medians. */
export function compared(name: string, own: Samples, peer: Samples, bar: number | null, note?: string): Finding {
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

/** Times held against a fixed bar, or shown for information. */
export function timed(name: string, own: Samples, barMs: number | null, note?: string): Finding {
  return { ...counted(name, median(own), "ms", barMs, note), p95: percentile95(own) };
}

/** A single number held against a fixed bar, or shown for information. */
export function counted(name: string, value: number, unit: Unit, bar: number | null, note?: string): Finding {
  const holds = bar === null ? null : value <= bar;
  return { name, value, unit, against: null, ratio: null, bar, holds, p95: null, againstP95: null, note: note ?? null };
}

/** A comparison whose peer is not here: the bar stands, and nothing is said of it. */
export function withoutPeer(name: string, own: Samples, bar: number, note: string): Finding {
  return { ...timed(name, own, null, note), bar };
}
