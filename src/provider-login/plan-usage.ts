// Asks a provider how much of a login's windows is used.

import { getProviderLoginObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { readResponseJson } from "../lib/response-body.ts";
import { withDeadline } from "../lib/timeout.ts";
import { providers } from "../model/providers.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { getBaseUrl } from "../model-gateway/upstream.ts";
import { serviceResponseBytes } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { deleteLimitMark, getLoginName, type LoginRow, listUserLogins } from "./queries/logins.ts";
import { isExhausted, listLoginsToTry } from "./rules/login-order.ts";
import { isBelowLimits, parseSubscriptionUsage, type UsageAnswer } from "./rules/plan-usage.ts";

/**
 * Where each provider reports it, relative to the URL of its model calls. The setting
 * MODEL_LOGIN_CLIENTS can set another URL.
 */
const paths: Record<ProviderId, string> = {
  anthropic: "api/oauth/usage",
  openai: "wham/usage",
  zai: "../monitor/usage/quota/limit",
  kimi: "v1/usages",
};

const waitMs = 10_000;

/** Requests the usage with a key or an access token. */
export async function readPlanUsage(env: Env, provider: ProviderId, secret: string): Promise<UsageAnswer> {
  try {
    return await withDeadline(waitMs, async (signal) => {
      const { usageUrl = null, headers = {} } = getSettings(env, provider);
      const answer = await fetch(usageUrl ?? new URL(paths[provider], `${getBaseUrl(env, provider)}/`).href, {
        headers: { ...headers, accept: "application/json", authorization: `Bearer ${secret}` },
        // Following a redirect would send the credential to another host.
        redirect: "manual",
        signal,
      });
      if (!answer.ok) {
        await answer.body?.cancel();
        return answer.status === 401 ? { type: "refused" } : { type: "unavailable" };
      }
      const answered = await readResponseJson<unknown>(answer, serviceResponseBytes);
      const now = Date.now();
      const usage = parseSubscriptionUsage(provider, answered, now);
      return usage ? { type: "usage", usage, fetchedAt: now } : { type: "unavailable" };
    });
  } catch (error) {
    log.warn("plan_usage.read_failed", { provider, error });
    return { type: "unavailable" };
  }
}

function getSettings(env: Env, provider: ProviderId): { usageUrl?: string; headers?: Record<string, string> } {
  return JSON.parse(env.MODEL_LOGIN_CLIENTS || "{}")[provider] ?? {};
}

interface Asked {
  userId: string;
  provider: ProviderId;
  /** Null for the login in use. */
  loginId: string | null;
}

/**
 * Reads how much of a subscription's windows is used, from the named login, otherwise from the one
 * in use. BAD_REQUEST if there is no login, if it is unknown, or if it must be connected again.
 * SERVICE_UNAVAILABLE if its provider reports no usage. A usage below every limit clears the
 * login's limit mark.
 */
export async function readSubscriptionUsage(
  env: Env,
  { userId, provider, loginId }: Asked,
  now: number,
): Promise<Extract<UsageAnswer, { type: "usage" }> | Refusal> {
  const { name } = providers[provider];
  const logins = (await listUserLogins(env.DB, userId)).filter((login) => login.provider === provider);
  const login = loginId === null ? shown(logins, now) : logins.find(({ id }) => id === loginId);
  if (loginId !== null && !login)
    return refuse(
      "BAD_REQUEST",
      `You have no such login at ${name}. Name one that you have, or leave \`loginId\` out.`,
    );
  if (logins.length === 0) return refuse("BAD_REQUEST", `You have no ${name} subscription. Connect one first.`);
  const again = refuse("BAD_REQUEST", `Your ${name} subscription has to be connected again.`);
  if (!login || login.needsReauth) return again;
  const loginName = getLoginName(login);
  const { answer, exhaustedUntil } = await getProviderLoginObject(env, loginName).usage(loginName);
  switch (answer.type) {
    case "refused":
      return again;
    case "unavailable":
      return refuse("SERVICE_UNAVAILABLE", `${name} did not report the usage. Try again in half a minute.`);
    case "usage":
      // A request that began before the mark says nothing about that limit.
      if (isExhausted(login, now) && exhaustedUntil === login.exhaustedUntil && isBelowLimits(answer.usage))
        await deleteLimitMark(env.DB, login);
      return answer;
  }
}

/** The login in use, otherwise the first that need not be connected again. */
function shown(logins: readonly LoginRow[], now: number): LoginRow | undefined {
  return (
    listLoginsToTry(logins, now).find((login) => !isExhausted(login, now)) ?? logins.find((login) => !login.needsReauth)
  );
}
