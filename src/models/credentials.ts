// The credentials that model calls are made with. They rest sealed and are opened here alone.
import type { Env } from "../env.ts";
import type { ProviderId } from "../rules/provider.ts";
import { findWorkspaceCredential } from "../storage/queries/credentials.ts";
import { unseal } from "../storage/sealing.ts";

/** The API key that a workspace holds for a provider; null when it holds none. */
export async function workspaceApiKey(env: Env, workspaceId: string, provider: ProviderId): Promise<string | null> {
  const sealed = await findWorkspaceCredential(env.DB, workspaceId, provider);
  return sealed === null ? null : await unseal(env.SEALING_KEYS, credentialIdentity(workspaceId, provider), sealed);
}

/** What a sealed workspace credential is bound to. */
export function credentialIdentity(workspaceId: string, provider: ProviderId): string {
  return `workspace-credential:${workspaceId}:${provider}`;
}
