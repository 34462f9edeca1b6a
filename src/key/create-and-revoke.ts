// Makes an API key for a user, who has so many at most.
import type { Env } from "../env.ts";
import { keysMax } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { apiKeysOf, issueApiKey, type KeyRow } from "./queries.ts";

export async function makeApiKey(
  env: Pick<Env, "DB">,
  key: { userId: string; name: string; expiresAt: number | null },
  now: number,
): Promise<{ token: string; row: KeyRow } | Refusal> {
  if ((await apiKeysOf(env.DB, key.userId)).length >= keysMax)
    return refuse("BAD_REQUEST", `You have ${keysMax} API keys. Revoke one that you do not need.`);
  return await issueApiKey(env.DB, key, now);
}
