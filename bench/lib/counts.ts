// What is counted for a request, for an object, or in total.
import type { Reply } from "./http-client.ts";

export interface Counts {
  /** Calls to D1. A batch counts as one. */
  roundTrips: number;
  statements: number;
  rowsRead: number;
  rowsWritten: number;
  objectCalls: number;
  storeCalls: number;
  /** Operations of the store that are billed as writes, its class A, and as reads, its class B. */
  storeWrites: number;
  storeReads: number;
  /** Requests from outside, including those of sandboxes. */
  workerRequests: number;
  /** Alarms of objects that fired. */
  alarms: number;
  /** WebSocket messages to objects. Pings are excluded, because the platform answers them. */
  messages: number;
  /** Rows of objects' own storage. A set alarm is a written row. */
  objectRowsRead: number;
  objectRowsWritten: number;
  /** Milliseconds in which an object had a running call, alarm or effect, summed over objects. */
  objectBusyMs: number;
}

export function createCounts(): Counts {
  return {
    ...{ roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0 },
    ...{ objectCalls: 0, storeCalls: 0, storeWrites: 0, storeReads: 0, workerRequests: 0 },
    ...{ alarms: 0, messages: 0, objectRowsRead: 0, objectRowsWritten: 0, objectBusyMs: 0 },
  };
}

/** The start of a statement by which the bench itself waits. It is not counted. */
export const ofBench = "/* of the bench */";

/** Returns a function that adds to all of the counts. */
export function addTo(all: Counts[]): (name: keyof Counts, by?: number) => void {
  return (name, by = 1) => {
    for (const counts of all) counts[name] += by;
  };
}

/** The calls of one request, from the header of its response. */
export function readCounts({ headers }: Reply): Counts {
  return JSON.parse(String(headers["x-counts"]));
}

/** What was counted between two sums. */
export function getDifference(after: Counts, before: Counts): Counts {
  const counts = createCounts();
  for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] = after[name] - before[name];
  return counts;
}
