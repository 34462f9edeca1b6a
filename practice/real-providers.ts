// The real model providers: those for which `npm start` has a key. All others are the practice
// provider.
import { catalog } from "../src/model/catalog.ts";
import { findDefaultModel, findProvider } from "../src/model/rules/model.ts";
import { type ProviderId, providerIds } from "../src/model/rules/provider.ts";
import { sealKey } from "../src/provider-login/credentials.ts";
import { listCredentials, saveWorkspaceLogin } from "../src/provider-login/queries/logins.ts";
import { getSealingIdentity, getWorkspaceLogin } from "../src/provider-login/rules/login.ts";
import { unseal } from "../src/storage/sealing.ts";
import { findWorkspace, updateWorkspace } from "../src/workspace/queries/workspaces.ts";

import { keyStart } from "./model-provider/key.ts";
import { practiceClientId } from "./model-provider/sign-in/sign-ins.ts";

export interface RealProvider {
  apiKey: string;
  /** The URL of its API; null for its usual URL. */
  baseUrl: string | null;
}

export type RealProviders = Partial<Record<ProviderId, RealProvider>>;

/** A key that the practice provider accepts. */
export function createPracticeKey(provider: ProviderId, random: string): string {
  return `${keyStart}${provider}-${random}`;
}

/** The Worker's settings for the providers. */
export function getProviderSettings(real: RealProviders, practiceUrl: string) {
  const practice = providerIds.filter((id) => !real[id]);
  const of = <Value>(ids: ProviderId[], value: (id: ProviderId) => Value) =>
    JSON.stringify(Object.fromEntries(ids.map((id) => [id, value(id)])));
  const reached = providerIds.filter((id) => real[id]?.baseUrl !== null);
  return {
    PROVIDER_URLS: of(reached, (id) => real[id]?.baseUrl ?? `${practiceUrl}/${id}`),
    MODEL_LOGIN_CLIENTS: of(practice, (id) => practiceClient(`${practiceUrl}/${id}/oauth`)),
    MODEL_LABEL_NOTES: of(practice, () => "practice"),
  };
}

/** The service's client at the practice provider. */
function practiceClient(oauthUrl: string) {
  return {
    clientId: practiceClientId,
    tokenUrl: `${oauthUrl}/token`,
    authorizeUrl: `${oauthUrl}/authorize`,
    redirectUrl: `${oauthUrl}/code`,
    deviceUrl: `${oauthUrl}/device/code`,
    userInfoUrl: `${oauthUrl}/userinfo`,
    revokeUrl: `${oauthUrl}/revoke`,
    scopes: ["models", "email"],
  };
}

/**
 * Stores the keys in the workspace, sealed. If a key of an earlier start is missing now, a key of
 * the practice provider replaces it. Unless the workspace's default model already belongs to a real
 * provider, it is set to one that does.
 */
export async function seedKeys(
  database: D1Database,
  {
    workspaceId,
    real,
    sealingKeys,
    random,
  }: { workspaceId: string; real: RealProviders; sealingKeys: string; random(): string },
): Promise<void> {
  const env = { SEALING_KEYS: sealingKeys };
  const held = await listCredentials(database, workspaceId);
  for (const provider of providerIds) {
    const name = getWorkspaceLogin(workspaceId, provider);
    const row = held.find((one) => one.provider === provider);
    const present = row?.kind === "key" ? await unseal(sealingKeys, getSealingIdentity(name), row.sealed) : null;
    const isForgotten = present !== null && !present.startsWith(keyStart);
    const wanted = real[provider]?.apiKey ?? (isForgotten ? createPracticeKey(provider, random()) : null);
    if (wanted === null || wanted === present) continue;
    await saveWorkspaceLogin(database, name, await sealKey(env, name, wanted, Date.now()));
  }
  const first = providerIds.find((id) => real[id]);
  const chosen = findProvider((await findWorkspace(database, workspaceId))?.defaultModel ?? null);
  if (first === undefined || (chosen !== null && real[chosen])) return;
  await updateWorkspace(database, workspaceId, { defaultModel: findDefaultModel(first, catalog) });
}
