// Saves a pasted API key as a workspace's credential at a provider, after a test call has shown
// that the provider accepts it.
import type { Env } from "../env.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { revokeAfterResponse } from "./connect/revoke.ts";
import { sealKey } from "./credentials.ts";
import { notifyTurnsOfPayer } from "./invalidate-payer.ts";
import { deleteCredential, saveWorkspaceLogin } from "./queries/logins.ts";
import { getWorkspaceLogin } from "./rules/login.ts";
import { tryKey } from "./try-key.ts";

/** A refusal changes nothing: the earlier credential stays. */
export async function saveWorkspaceCredential(
  env: Env,
  { workspaceId, provider, apiKey }: { workspaceId: string; provider: ProviderId; apiKey: string },
  now: number,
): Promise<Refusal | null> {
  const name = getWorkspaceLogin(workspaceId, provider);
  const tried = await tryKey(env, name, apiKey);
  if (isRefusal(tried)) return tried;
  await saveWorkspaceLogin(env.DB, name, await sealKey(env, name, apiKey, now));
  await notifyTurnsOfPayer(env, workspaceId);
  revokeAfterResponse(env);
  return null;
}

/**
 * Deletes a workspace's credential at a provider. The turns on it end at their next model call.
 * Idempotent.
 */
export async function deleteWorkspaceCredential(env: Env, workspaceId: string, provider: ProviderId): Promise<void> {
  await deleteCredential(env.DB, getWorkspaceLogin(workspaceId, provider));
  await notifyTurnsOfPayer(env, workspaceId);
  revokeAfterResponse(env);
}
