// Usage as each provider reports it, also the practice provider, and responses without usage.
import { expect, it, test } from "vitest";
import { findUsageResponse } from "../../../practice/model-provider/usage.ts";
import type { ProviderId } from "../../../src/model/rules/provider.ts";
import { isBelowLimits, parseSubscriptionUsage } from "../../../src/provider-login/rules/plan-usage.ts";

const now = Date.UTC(2026, 0, 15, 12);
const [hour, day] = [3_600_000, 86_400_000];
const practice: Record<ProviderId, string> = {
  anthropic: "/anthropic/api/oauth/usage",
  openai: "/openai/wham/usage",
  zai: "/monitor/usage/quota/limit",
  kimi: "/kimi/v1/usages",
};
const windows = {
  session: { utilization: 25, resetsAt: now + hour },
  week: { utilization: 40, resetsAt: now + 3 * day },
};

test.each(Object.entries(practice) as [ProviderId, string][])("%s reports it in its own format", (provider, path) => {
  const told = (state: "good" | "at_limit") =>
    parseSubscriptionUsage(provider, findUsageResponse(path, state, now)?.body, now);
  const month = { utilization: 40, resetsAt: now + 12 * day };
  expect(told("good")).toEqual(provider === "kimi" ? { session: windows.session, week: null, month } : windows);
  expect(told("at_limit")?.session.utilization).toBe(100);
  const [good, over] = [told("good"), told("at_limit")];
  expect([good && isBelowLimits(good), over && isBelowLimits(over)]).toEqual([true, false]);
});

test.each<[what: string, provider: ProviderId, answer: unknown, usage: unknown]>([
  [
    "a plan without a week",
    "zai",
    { data: { limits: [{ type: "TOKENS_LIMIT", unit: 3, percentage: 7 }] } },
    { session: { utilization: 7, resetsAt: null }, week: null },
  ],
  [
    "a window that has not begun",
    "anthropic",
    { five_hour: { utilization: 0, resets_at: null }, seven_day: null },
    { session: { utilization: 0, resetsAt: null }, week: null },
  ],
  [
    "seconds to go",
    "openai",
    { rate_limit: { primary_window: { used_percent: 1.5, reset_after_seconds: 60 } } },
    { session: { utilization: 1.5, resetsAt: now + 60_000 }, week: null },
  ],
  [
    "what is left of a count",
    "kimi",
    { limits: [{ detail: { limit: 200, remaining: "50" } }] },
    { session: { utilization: 75, resetsAt: null }, week: null },
  ],
  [
    "more than all",
    "anthropic",
    { five_hour: { utilization: 140 } },
    { session: { utilization: 100, resetsAt: null }, week: null },
  ],
  ["no windows", "openai", { rate_limit: null }, null],
  ["a limit of nothing", "kimi", { limits: [{ detail: { limit: 0, used: 0 } }] }, null],
  ["a text", "zai", "none", null],
])("%s", (_, provider, answer, usage) => {
  expect(parseSubscriptionUsage(provider, answer, now)).toEqual(usage);
});

it("is refused without a credential, and not served at any other path", () => {
  expect(findUsageResponse(practice.zai, "unknown", now)?.status).toBe(401);
  expect(findUsageResponse("/zai/v1/messages", "good", now)).toBeNull();
});
