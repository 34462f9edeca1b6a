// How much of the user's own subscriptions is used.
import * as z from "zod";
import { ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { providerNamed } from "../../model/rules/provider.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { readSubscriptionUsage } from "../plan-usage-read-usage.ts";
import { subscriptionUsageOnWire, subscriptionUsageSchema } from "../wire/subscription-subscription-usage.ts";

const query = z.strictObject({
  provider: z.string().default("anthropic").describe("The provider of the subscription."),
  loginId: z.string().optional().describe("One of its logins; the one in use by default."),
});

const readUsage = endpoint({
  method: "GET",
  path: "/api/user/subscriptions/usage",
  operation: "readSubscriptionUsage",
  summary: "Read how much of a subscription is used. Its provider is asked at most once in 30 seconds for a login.",
  tag: "Account",
  access: "subscription.read",
  noun: "none",
  query,
  answers: { status: 200, data: subscriptionUsageSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller: { user }, query: { provider: named, loginId = null } }) {
    const provider = providerNamed(named);
    if (isRefusal(provider)) return provider;
    if (!user) return refuse("FORBIDDEN");
    const usage = await readSubscriptionUsage(env, { userId: user.id, provider, loginId }, now);
    return isRefusal(usage) ? usage : ok(subscriptionUsageOnWire(usage));
  },
});

export const subscriptionUsageRoutes = [readUsage];
