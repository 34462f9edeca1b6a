// The user's own subscriptions at the model providers: their keys, the order of their logins, and
// the default model.
import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { checkKeyTrialLimit } from "../../http/rate-limit.ts";
import { noContent, ok, unchanged } from "../../http/response.ts";
import { exampleIds } from "../../lib/wire.ts";
import { catalog } from "../../model/catalog.ts";
import { checkInCatalog } from "../../model/rules/choice.ts";
import { parseKeyProvider, parseProvider } from "../../model/rules/provider.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { connectUserKey } from "../connect-key.ts";
import { disconnectAll, disconnectOne } from "../disconnect.ts";
import { readSubscriptionUsage } from "../plan-usage.ts";
import { listUserSubscriptions } from "../queries/logins.ts";
import { saveDefaultModel, updateLoginOrder } from "../queries/subscriptions.ts";
import { apiKeyField } from "../wire/credential.ts";
import {
  subscriptionsSchema,
  subscriptionUsageSchema,
  toWireSubscriptions,
  toWireSubscriptionUsage,
} from "../wire/subscription.ts";

const path = "/api/user/subscriptions";
const tag = "Account";

const read = endpoint({
  method: "GET",
  path,
  operation: "readSubscriptions",
  summary: "Read your subscriptions and your default model.",
  tag,
  access: "subscription.read",
  noun: "none",
  response: { status: 200, data: subscriptionsSchema },
  async handle({ env, now, caller: { user } }) {
    if (!user) return refuse("FORBIDDEN");
    const { logins, defaultModel } = await listUserSubscriptions(env.DB, user.id);
    return ok(toWireSubscriptions(logins, defaultModel, now));
  },
});

const changeDefault = endpoint({
  method: "PATCH",
  path,
  operation: "setDefaultModel",
  summary: "Set your default model; null for the workspace's.",
  tag,
  access: "default-model.change",
  noun: "none",
  body: {
    schema: z
      .strictObject({ defaultModel: z.string().nullable().describe("A model id; null for none.") })
      .meta({ examples: [{ defaultModel: "anthropic:opus__high" }] }),
  },
  response: { status: 204 },
  async handle({ env, caller: { user }, body: { defaultModel } }) {
    if (!user) return refuse("FORBIDDEN");
    const unknown = defaultModel === null ? null : checkInCatalog(defaultModel, catalog, "defaultModel");
    if (unknown) return unknown;
    await saveDefaultModel(env.DB, user.id, defaultModel);
    return noContent;
  },
});

const putKey = endpoint({
  method: "PUT",
  path: `${path}/{provider}`,
  operation: "putSubscriptionKey",
  summary: "Connect an API key of your own, or replace one. It is tried with one call first. For zai and kimi.",
  tag,
  access: "subscription.change",
  noun: "none",
  body: {
    schema: z
      .strictObject({
        apiKey: apiKeyField,
        loginId: z.string().toLowerCase().optional().describe("The login that the key replaces; a new one by default."),
      })
      .meta({ examples: [{ apiKey: "sk-zai-3kJ9vT0bYcR5mW8pL1nZx7Qa" }] }),
  },
  response: { status: 204 },
  refusals: [
    ...(["BAD_REQUEST", "NOT_FOUND", "SERVICE_UNAVAILABLE"] as const),
    ...(["PROVIDER_LOGIN_DUPLICATE", "PROVIDER_LOGIN_LIMIT"] as const),
  ],
  async handle({ env, now, caller: { user }, params, body: { apiKey, loginId = null } }) {
    const provider = parseKeyProvider(params.provider);
    if (isRefusal(provider)) return provider;
    if (!user) return refuse("FORBIDDEN");
    const excess = await checkKeyTrialLimit(env, user.id, now);
    if (excess) return excess;
    return (await connectUserKey(env, { userId: user.id, provider, apiKey, loginId }, now)) ?? noContent;
  },
});

const removeProvider = endpoint({
  method: "DELETE",
  path: `${path}/{provider}`,
  operation: "disconnectProvider",
  summary:
    "Disconnect every login of a provider. Turns that use it end. Your sessions then use the workspace's credentials.",
  tag,
  access: "subscription.change",
  noun: "none",
  response: { status: 204 },
  refusals: ["BAD_REQUEST"],
  async handle({ env, caller: { user }, params }) {
    const provider = parseProvider(params.provider);
    if (isRefusal(provider)) return provider;
    if (!user) return refuse("FORBIDDEN");
    return (await disconnectAll(env, user, provider)) ? noContent : unchanged(noContent);
  },
});

const order = endpoint({
  method: "PUT",
  path: `${path}/{provider}/logins/order`,
  operation: "orderLogins",
  summary: "Put the logins of a provider in order. The first that can be used is in use.",
  tag,
  access: "subscription.change",
  noun: "none",
  body: {
    schema: z
      .strictObject({ ids: z.array(z.string()).describe("The ids of all logins of the provider.") })
      .meta({ examples: [{ ids: [exampleIds.login] }] }),
  },
  response: { status: 204 },
  refusals: ["BAD_REQUEST", "CONFLICT"],
  async handle({ env, caller: { user }, params, body: { ids } }) {
    const provider = parseProvider(params.provider);
    if (isRefusal(provider)) return provider;
    if (!user) return refuse("FORBIDDEN");
    const outcome = await updateLoginOrder(env.DB, user.id, provider, ids);
    if (outcome !== "incomplete") return outcome === "moved" ? noContent : unchanged(noContent);
    return refuse(
      "CONFLICT",
      "The list has to have the ids of all your logins at this provider, each once. Read the logins again.",
    );
  },
});

const removeLogin = endpoint({
  method: "DELETE",
  path: `${path}/{provider}/logins/{loginId}`,
  operation: "disconnectLogin",
  summary:
    "Disconnect one login. Turns that use it switch to the next login at their next call, or end if there is none.",
  tag,
  access: "subscription.change",
  noun: "none",
  response: { status: 204 },
  refusals: ["BAD_REQUEST", "NOT_FOUND"],
  async handle({ env, caller: { user }, params }) {
    const provider = parseProvider(params.provider);
    if (isRefusal(provider)) return provider;
    if (!user) return refuse("FORBIDDEN");
    return (await disconnectOne(env, user, { provider, loginId: params.loginId })) ?? noContent;
  },
});

export const subscriptionRoutes = [read, changeDefault, putKey, removeProvider, order, removeLogin];

const query = z.strictObject({
  provider: z.string().default("anthropic").describe("The provider of the subscription."),
  loginId: z.string().toLowerCase().optional().describe("The login's id; the one in use by default."),
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
  response: { status: 200, data: subscriptionUsageSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller: { user }, query: { provider: named, loginId = null } }) {
    const provider = parseProvider(named);
    if (isRefusal(provider)) return provider;
    if (!user) return refuse("FORBIDDEN");
    const usage = await readSubscriptionUsage(env, { userId: user.id, provider, loginId }, now);
    return isRefusal(usage) ? usage : ok(toWireSubscriptionUsage(usage));
  },
});

/** How much of the user's own subscriptions is used. */
export const subscriptionUsageRoutes = [readUsage];
