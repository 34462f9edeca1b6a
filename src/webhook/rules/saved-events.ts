// How often the sweep tries the events that are saved in D1.
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * From which events on a round of the sweep tries them, in milliseconds since the epoch; null for
 * all. An event that could not be sent for 15 minutes is tried every five minutes, and after a day
 * hourly, as parked effects are.
 */
export function findOldestTried(now: number): number | null {
  const minute = Math.floor(now / minuteMs);
  if (minute % 60 === 0) return null;
  return now - (minute % 5 === 0 ? 24 * hourMs : 15 * minuteMs);
}
