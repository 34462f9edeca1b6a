// Asks a provider how much of a login's windows is used.
import { readResponseJson } from "../bytes/response-body.ts";
import type { Env } from "../env.ts";
import { reasonOf } from "../error-text.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { baseUrlOf } from "../model-gateway/upstream.ts";
import { serviceResponseBytes } from "../rules/limits.ts";
import { subscriptionUsage, type UsageAnswer } from "./rules/plan-usage.ts";

/** Where each provider tells it, from the address of its model calls. The setting MODEL_LOGIN_CLIENTS can name another address. */
const paths: Record<ProviderId, string> = {
  anthropic: "api/oauth/usage",
  openai: "wham/usage",
  zai: "../monitor/usage/quota/limit",
  kimi: "v1/usages",
};

const waitMs = 10_000;

/** Asks with a key or an access token. */
export async function askUsage(env: Env, provider: ProviderId, secret: string): Promise<UsageAnswer> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), waitMs);
  try {
    const { usageUrl = null, headers = {} } = settingsOf(env, provider);
    const answer = await fetch(usageUrl ?? new URL(paths[provider], `${baseUrlOf(env, provider)}/`).href, {
      headers: { ...headers, accept: "application/json", authorization: `Bearer ${secret}` },
      // Following a redirect would send the credential to another host.
      redirect: "manual",
      signal: timeout.signal,
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      return answer.status === 401 ? { type: "refused" } : { type: "unavailable" };
    }
    const answered = await readResponseJson<unknown>(answer, serviceResponseBytes);
    const now = Date.now();
    const usage = subscriptionUsage(provider, answered, now);
    return usage ? { type: "usage", usage, fetchedAt: now } : { type: "unavailable" };
  } catch (error) {
    console.error("the usage of a login could not be read", provider, reasonOf(error));
    return { type: "unavailable" };
  } finally {
    // A pending timer would keep the Durable Object in memory.
    clearTimeout(timer);
  }
}

function settingsOf(env: Env, provider: ProviderId): { usageUrl?: string; headers?: Record<string, string> } {
  return JSON.parse(env.MODEL_LOGIN_CLIENTS || "{}")[provider] ?? {};
}
