// The usage of a subscription on the wire.
import * as z from "zod";
import { exampleTimes } from "../../resources/example-values.ts";
import { time, timeOrNull, timestamp } from "../../resources/wire-values.ts";
import type { UsageAnswer, UsageWindow } from "../rules/plan-usage.ts";

const exampleWindow = { utilization: 42, resetsAt: exampleTimes.later };

const windowSchema = z
  .object({
    utilization: z.number().min(0).max(100).describe("How much of it is used, in percent."),
    resetsAt: timestamp.nullable().describe("When it begins anew; null where the provider does not say."),
  })
  .meta({ id: "UsageWindow", description: "A window of a subscription's usage.", examples: [exampleWindow] });

export const subscriptionUsageSchema = z
  .object({
    session: windowSchema.describe("The window of five hours."),
    week: windowSchema.nullable().describe("The window of seven days; null for a plan without one."),
    month: windowSchema.optional().describe("The window of a month, of kimi alone."),
    fetchedAt: timestamp.describe("When the provider told it; up to 30 seconds ago."),
  })
  .meta({
    id: "SubscriptionUsage",
    description: "How much of a subscription's windows is used.",
    examples: [{ session: exampleWindow, week: exampleWindow, fetchedAt: exampleTimes.begun }],
  });

export function subscriptionUsageOnWire({
  usage: { session, week, month },
  fetchedAt,
}: Extract<UsageAnswer, { type: "usage" }>): z.infer<typeof subscriptionUsageSchema> {
  return {
    session: windowOnWire(session),
    week: week && windowOnWire(week),
    ...(month && { month: windowOnWire(month) }),
    fetchedAt: time(fetchedAt),
  };
}

function windowOnWire({ utilization, resetsAt }: UsageWindow) {
  return { utilization, resetsAt: timeOrNull(resetsAt) };
}
