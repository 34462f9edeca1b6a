// A user's subscriptions at the model providers, on the wire.
import * as z from "zod";
import { exampleIds, exampleTimes, formatTime, formatTimeOrNull, timestamp, uuid } from "../../lib/wire.ts";
import { type ProviderId, providerIds } from "../../model/rules/provider.ts";
import type { LoginRow } from "../queries/logins.ts";
import { findShownLogin, isExhausted, isReauthNeeded, listLoginStatuses, loginStatuses } from "../rules/login-order.ts";
import type { UsageAnswer, UsageWindow } from "../rules/plan-usage.ts";

const exampleLogin = {
  id: exampleIds.login,
  label: "x7Qa",
  status: "in_use",
  needsReauth: false,
  exhaustedUntil: null,
  authenticatedAt: exampleTimes.started,
};

const exampleSubscription = {
  connected: true,
  needsReauth: false,
  accountEmail: null,
  authenticatedAt: exampleTimes.started,
  maskedApiKey: "sk-z…x7Qa",
  logins: [exampleLogin],
};

const loginSchema = z
  .object({
    id: uuid.describe("The login's id."),
    label: z.string().describe("The account's address, or the key's last four characters."),
    status: z.enum(loginStatuses).describe("`in_use`: the first login that works; `fallback`: a later one that works."),
    needsReauth: z.boolean().describe("True if it has to be connected again."),
    exhaustedUntil: timestamp.nullable().describe("The time until which it is at its limit; null if it is not."),
    authenticatedAt: timestamp.describe("When it was connected."),
  })
  .meta({ id: "ProviderLogin", description: "A key or a sign-in of a subscription.", examples: [exampleLogin] });

const subscriptionSchema = z
  .object({
    connected: z.boolean().describe("True if there is a login."),
    needsReauth: z.boolean().describe("True when every login has to be connected again. Turns that need it stop."),
    accountEmail: z.string().nullable().describe("The address of the account; null for a key."),
    authenticatedAt: timestamp.describe("When it was connected."),
    maskedApiKey: z.string().nullable().describe("The ends of the key; null for a sign-in."),
    logins: z.array(loginSchema).describe("The logins, in the order of use."),
  })
  .meta({ id: "Subscription", description: "Your logins at a model provider.", examples: [exampleSubscription] });

const providerFields = Object.fromEntries(
  providerIds.map((id) => [id, subscriptionSchema.nullable().describe(`Your logins at ${id}; null for none.`)]),
) as Record<ProviderId, z.ZodNullable<typeof subscriptionSchema>>;

export const subscriptionsSchema = z
  .object({ ...providerFields, defaultModel: z.string().nullable().describe("Your default model; null for none.") })
  .meta({
    id: "Subscriptions",
    description: "Your subscriptions and your default model.",
    examples: [{ anthropic: null, openai: null, zai: exampleSubscription, kimi: null, defaultModel: "zai:glm__high" }],
  });

export function toWireSubscriptions(
  rows: LoginRow[],
  defaultModel: string | null,
  now: number,
): z.infer<typeof subscriptionsSchema> {
  const at = (id: ProviderId) =>
    toWireSubscription(
      rows.filter(({ provider }) => provider === id),
      now,
    );
  return { anthropic: at("anthropic"), openai: at("openai"), zai: at("zai"), kimi: at("kimi"), defaultModel };
}

function toWireSubscription(logins: LoginRow[], now: number): z.infer<typeof subscriptionSchema> | null {
  const shown = findShownLogin(logins, now);
  if (shown === null) return null;
  const statuses = listLoginStatuses(logins, now);
  return {
    connected: true,
    needsReauth: isReauthNeeded(logins),
    accountEmail: shown.accountEmail,
    authenticatedAt: formatTime(shown.authenticatedAt),
    maskedApiKey: shown.maskedKey,
    logins: logins.map((login, place) => ({
      id: login.id,
      label: login.label,
      status: statuses[place] ?? "fallback",
      needsReauth: login.needsReauth,
      exhaustedUntil: formatTimeOrNull(isExhausted(login, now) ? login.exhaustedUntil : null),
      authenticatedAt: formatTime(login.authenticatedAt),
    })),
  };
}

const exampleWindow = { utilization: 42, resetsAt: exampleTimes.later };

const windowSchema = z
  .object({
    utilization: z.number().min(0).max(100).describe("How much of it is used, in percent."),
    resetsAt: timestamp.nullable().describe("When it begins again; null if unknown."),
  })
  .meta({ id: "UsageWindow", description: "A window of a subscription's usage.", examples: [exampleWindow] });

/** The usage of a subscription on the wire. */
export const subscriptionUsageSchema = z
  .object({
    session: windowSchema.describe("The window of five hours."),
    week: windowSchema.nullable().describe("The window of seven days."),
    month: windowSchema.optional().describe("The window of a month, of kimi only."),
    fetchedAt: timestamp.describe("When the provider reported it."),
  })
  .meta({
    id: "SubscriptionUsage",
    description: "How much of a subscription is used.",
    examples: [{ session: exampleWindow, week: exampleWindow, fetchedAt: exampleTimes.started }],
  });

export function toWireSubscriptionUsage({
  usage: { session, week, month },
  fetchedAt,
}: Extract<UsageAnswer, { type: "usage" }>): z.infer<typeof subscriptionUsageSchema> {
  return {
    session: toWireWindow(session),
    week: week && toWireWindow(week),
    ...(month && { month: toWireWindow(month) }),
    fetchedAt: formatTime(fetchedAt),
  };
}

function toWireWindow({ utilization, resetsAt }: UsageWindow) {
  return { utilization, resetsAt: formatTimeOrNull(resetsAt) };
}
