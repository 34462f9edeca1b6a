// Creates an API key for a user, up to a maximum number of keys, and revokes keys.

import type { Env } from "../env.ts";
import { keysMax } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { endStreams } from "../workspace/end-streams.ts";
import { listWorkspaces } from "../workspace/queries/workspaces.ts";
import { issueApiKey, type KeyRow, revokeUserKey } from "./queries/keys.ts";

export async function createApiKey(
  env: Pick<Env, "DB">,
  key: { userId: string; name: string; expiresAt: number | null },
  now: number,
): Promise<{ token: string; row: KeyRow } | Refusal> {
  const issued = await issueApiKey(env.DB, key, now);
  return issued ?? refuse("BAD_REQUEST", `You have ${keysMax} API keys. Revoke one that you do not need.`);
}

/**
 * Revokes a key of a user: an API key, a connected agent, or a browser session at sign-out. Ends
 * the streams that were opened with it. False if the user has no such key.
 */
export async function revokeKey(
  env: Pick<Env, "DB" | "WORKSPACE_EVENTS" | "JURISDICTION">,
  { kind, userId, keyId }: { kind: "browser" | "api-key" | "client"; userId: string; keyId: string },
): Promise<boolean> {
  if (!(await revokeUserKey(env.DB, kind, userId, keyId))) return false;
  for (const { id } of await listWorkspaces(env.DB, userId, null)) endStreams(env, id, { keyId });
  return true;
}
