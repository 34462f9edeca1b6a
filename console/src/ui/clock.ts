// The time of the service, which wrote all times that are shown. The clock of a browser may differ.

/** Responses say it in whole seconds, and take a while to arrive. */
const exactMs = 2_000;

let aheadMs = 0;

/** Records the time of the service from the `Date` of a response, which arrived at `now` (ms). */
export function recordServiceTime(date: string | null, now = Date.now()): void {
  const seenMs = Date.parse(date ?? "") - now;
  if (Math.abs(seenMs - aheadMs) > exactMs) aheadMs = Math.abs(seenMs) > exactMs ? seenMs : 0;
}

/** Gets the present time of the service, in milliseconds. */
export const getServiceNow = (): number => Date.now() + aheadMs;
