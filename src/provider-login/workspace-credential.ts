// Saves a pasted API key as a workspace's credential at a provider, after a test call has shown
// that the provider accepts it.
import type { Env } from "../env.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { revokeBehindAnswer } from "./connect/revoke.ts";
import { keptKey } from "./credentials.ts";
import { tellTurnsOfPayer } from "./invalidate-payer.ts";
import { deleteCredential, putWorkspaceLogin } from "./queries/logins.ts";
import { workspaceLogin } from "./rules/login.ts";
import { tryKey } from "./try-key.ts";

/** A refusal changes nothing: the earlier credential stays. */
export async function putWorkspaceCredential(
  env: Env,
  { workspaceId, provider, apiKey }: { workspaceId: string; provider: ProviderId; apiKey: string },
  now: number,
): Promise<Refusal | null> {
  const name = workspaceLogin(workspaceId, provider);
  const tried = await tryKey(env, name, apiKey);
  if (isRefusal(tried)) return tried;
  await putWorkspaceLogin(env.DB, name, await keptKey(env, name, apiKey, now));
  await tellTurnsOfPayer(env, workspaceId);
  revokeBehindAnswer(env);
  return null;
}

/**
 * Deletes a workspace's credential at a provider. The turns on it end at their next model call.
 * Idempotent.
 */
export async function deleteWorkspaceCredential(env: Env, workspaceId: string, provider: ProviderId): Promise<void> {
  await deleteCredential(env.DB, workspaceLogin(workspaceId, provider));
  await tellTurnsOfPayer(env, workspaceId);
  revokeBehindAnswer(env);
}
