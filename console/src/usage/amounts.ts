// Amounts of money and counts in words. The service counts in billionths of a dollar, so sums are
// made in these, and are exact.

const nanosPerUsd = 1e9;
const nanosPerCent = 1e7;

export const toNanos = (usd: number): number => Math.round(usd * nanosPerUsd);

/** An amount in whole cents. */
export const toCents = (usd: number): number => Math.round(toNanos(usd) / nanosPerCent);

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

export const formatCents = (cents: number): string => dollars.format(cents / 100);

/** An amount to the cent; `–` where nothing was to pay. */
export function formatUsd(usd: number | null): string {
  if (usd === null) return "–";
  const cents = toCents(usd);
  return cents === 0 && usd > 0 ? "<$0.01" : formatCents(cents);
}

/** An amount with all of its digits, at least the cents. */
export const formatExactUsd = (usd: number): string =>
  usd.toLocaleString("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 9 });

/** An amount at a tick of an axis: all of its ticks have the digits that its step needs. */
export function formatUsdTick(usd: number, step: number): string {
  const needed = [0, 1, 2, 3, 4, 5, 6, 7, 8].find((digits) => isClose(step * 10 ** digits)) ?? 9;
  const digits = needed === 0 ? 0 : Math.max(2, needed);
  return usd.toLocaleString("en-US", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** True for a whole number, but for the error of its calculation. */
const isClose = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

const counts = new Intl.NumberFormat("en-US");
const shortCounts = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 2 });

export const formatCount = (count: number): string => counts.format(count);
export const formatShortCount = (count: number): string => shortCounts.format(count);

/** A number with its noun: `1 turn`, `2 turns`. */
export const formatNumberOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;

/** The text of a limit in its field: `25.50`. */
export const formatLimit = (usd: number): string =>
  usd.toLocaleString("en-US", { useGrouping: false, minimumFractionDigits: 2, maximumFractionDigits: 9 });

const limitMax = 1_000_000;

/** A limit as a person types it; a sentence where it is none. */
export function parseLimit(text: string): number | string {
  const typed = text.trim().replace(/^\$\s*/, "");
  const isAmount = /^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,2})?$/.test(typed);
  if (!isAmount) return "Type an amount in US dollars, such as 500 or 49.50.";
  const usd = Number(typed.replaceAll(",", ""));
  return usd <= limitMax ? usd : `The highest limit is ${formatCents(limitMax * 100)}.`;
}
