// Points in time as people say them: "2 min ago", with the exact one on hover.
import { useEffect, useState } from "react";
import { getServiceNow } from "./clock.ts";

const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** How long ago a time is, in words. */
function formatAgo(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1_000);
  const found = units.find(([, size]) => Math.abs(seconds) >= size);
  if (!found) return "just now";
  const [unit, size] = found;
  return relative.format(Math.trunc(seconds / size), unit);
}

/** A length of time: `41 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * The present time of the service, or by another clock. It advances every `everyMs` milliseconds.
 */
export function useNow(everyMs: number, readClock: () => number = getServiceNow): number {
  const [now, setNow] = useState(readClock);
  useEffect(() => {
    const timer = setInterval(() => setNow(readClock()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, readClock]);
  return now;
}

export function Ago({ at }: { at: string }) {
  const now = useNow(30_000);
  return (
    <time dateTime={at} title={exact.format(new Date(at))} className="whitespace-nowrap tabular-nums">
      {formatAgo(at, now)}
    </time>
  );
}
