// How much of a credential's windows is used, in each provider's own format. A credential at its
// limit has used up the first.

type State = "good" | "at_limit" | "unknown";

const paths: Record<string, (used: number, now: number) => object> = {
  "/anthropic/api/oauth/usage": (used, now) => ({
    five_hour: { utilization: used, resets_at: new Date(now + sessionMs).toISOString() },
    seven_day: { utilization: usedOfWeek, resets_at: new Date(now + weekMs).toISOString() },
  }),
  "/openai/wham/usage": (used, now) => ({
    plan_type: "practice",
    rate_limit: {
      primary_window: { used_percent: used, limit_window_seconds: 18_000, reset_at: seconds(now + sessionMs) },
      secondary_window: { used_percent: usedOfWeek, limit_window_seconds: 604_800, reset_at: seconds(now + weekMs) },
    },
  }),
  "/monitor/usage/quota/limit": (used, now) => ({
    code: 200,
    success: true,
    data: {
      limits: [
        { type: "TOKENS_LIMIT", unit: 3, number: 5, percentage: used, nextResetTime: now + sessionMs },
        { type: "TOKENS_LIMIT", unit: 6, number: 1, percentage: usedOfWeek, nextResetTime: now + weekMs },
        { type: "TIME_LIMIT", unit: 5, number: 1, percentage: 0 },
      ],
    },
  }),
  "/kimi/v1/usages": (used, now) => ({
    usage: { limit: "1000", used: String(usedOfWeek * 10), resetTime: new Date(now + 4 * weekMs).toISOString() },
    limits: [
      {
        window: { duration: 300, timeUnit: "TIME_UNIT_MINUTE" },
        detail: { limit: "200", used: String(used * 2), resetTime: new Date(now + sessionMs).toISOString() },
      },
    ],
  }),
};

const [sessionMs, weekMs] = [3_600_000, 3 * 86_400_000];
const [usedOfSession, usedOfWeek] = [25, 40];
const seconds = (ms: number) => Math.floor(ms / 1_000);

/** The response to a request for usage; null for another path. */
export function findUsageResponse(path: string, state: State, now: number): { status: number; body: object } | null {
  const createBody = paths[path];
  if (!createBody) return null;
  if (state === "unknown")
    return { status: 401, body: { error: { type: "authentication_error", message: "invalid" } } };
  return { status: 200, body: createBody(state === "at_limit" ? 100 : usedOfSession, now) };
}
