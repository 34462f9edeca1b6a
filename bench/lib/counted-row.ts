// A row of the table of calls.
import type { Counts } from "./counts.ts";

export interface CountedRow {
  what: string;
  counts: Counts;
}
