// How much of a subscription's windows is used (Part 2, "Usage answer"). Each provider has its own
// response format.
import type { ProviderId } from "../../model/rules/provider.ts";

export interface UsageWindow {
  /** In percent, 0 to 100. */
  utilization: number;
  /** When the window resets; null if the provider does not say. */
  resetsAt: number | null;
}

export interface SubscriptionUsage {
  /** The window of five hours. */
  session: UsageWindow;
  /** The window of seven days; null for a plan without one. */
  week: UsageWindow | null;
  /** The window of a month; omitted for a plan without one. */
  month?: UsageWindow;
}

/** The outcome of a usage request. */
export type UsageAnswer =
  | { type: "usage"; usage: SubscriptionUsage; fetchedAt: number }
  /** The provider no longer accepts the credential. */
  | { type: "refused" }
  | { type: "unavailable" };

/** The outcome of a usage request, with the limit mark that the login had when it began. */
export type MarkedUsage = { answer: UsageAnswer; exhaustedUntil: number | null };

/** Parses a provider's response; null for anything else. */
export function parseSubscriptionUsage(provider: ProviderId, answer: unknown, now: number): SubscriptionUsage | null {
  return readers[provider](answer, now);
}

/** True while no window is used up, so that the login is not at its limit. */
export function isBelowLimits({ session, week, month }: SubscriptionUsage): boolean {
  return [session, week, month].every((window) => !window || window.utilization < 100);
}

const readers: Record<ProviderId, (answer: unknown, now: number) => SubscriptionUsage | null> = {
  anthropic(answer) {
    const windowAt = (name: string) => {
      const window = at(answer, name);
      return toWindow(toNumber(at(window, "utilization")), toTime(at(window, "resets_at")));
    };
    return withWeek(windowAt("five_hour"), windowAt("seven_day"));
  },
  openai(answer, now) {
    const windowAt = (name: string) => {
      const window = at(answer, "rate_limit", name);
      const seconds = toNumber(at(window, "reset_at"));
      const after = toNumber(at(window, "reset_after_seconds"));
      const resetsAt = seconds !== null ? seconds * 1_000 : after === null ? null : now + after * 1_000;
      return toWindow(toNumber(at(window, "used_percent")), resetsAt);
    };
    return withWeek(windowAt("primary_window"), windowAt("secondary_window"));
  },
  zai(answer) {
    const limits = toList(at(answer, "data", "limits")).filter((limit) => at(limit, "type") === "TOKENS_LIMIT");
    const windowOfUnit = (unit: number) => {
      const limit = limits.find((each) => at(each, "unit") === unit);
      return toWindow(toNumber(at(limit, "percentage")), toNumber(at(limit, "nextResetTime")));
    };
    return withWeek(windowOfUnit(zaiUnits.hours), windowOfUnit(zaiUnits.weeks));
  },
  kimi(answer) {
    const [limit] = toList(at(answer, "limits"));
    const [session, month] = [kimiWindow(at(limit, "detail")), kimiWindow(at(answer, "usage"))];
    return session && { session, week: null, ...(month && { month }) };
  },
};

const zaiUnits = { hours: 3, weeks: 6 };

/** The counts of a limit are numbers or texts. */
function kimiWindow(detail: unknown): UsageWindow | null {
  const [limit, used, left] = ["limit", "used", "remaining"].map((name) => toNumber(at(detail, name)));
  if (!limit || limit < 0) return null;
  const spent = used ?? (typeof left === "number" ? limit - left : null);
  return toWindow(spent === null ? null : (spent / limit) * 100, toTime(at(detail, "resetTime")));
}

function withWeek(session: UsageWindow | null, week: UsageWindow | null): SubscriptionUsage | null {
  return session && { session, week };
}

function toWindow(utilization: number | null, resetsAt: number | null): UsageWindow | null {
  return utilization === null ? null : { utilization: Math.min(Math.max(utilization, 0), 100), resetsAt };
}

function at(value: unknown, ...names: string[]): unknown {
  return names.reduce(
    (found, name) =>
      typeof found === "object" && found !== null ? (found as Record<string, unknown>)[name] : undefined,
    value,
  );
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toNumber(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function toTime(value: unknown): number | null {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? time : null;
}
