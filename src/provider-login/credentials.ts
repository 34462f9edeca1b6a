// The credentials of model calls: a pasted API key, or a login whose tokens are refreshed. They are
// stored sealed, and unsealed only here.
import type { Env } from "../env.ts";
import { getKeyHash } from "../lib/base64url.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { seal, unseal } from "../storage/sealing.ts";
import type { Account } from "./connect/oauth-client.ts";
import type { NewTokens } from "./connect/token-endpoint.ts";
import { findCredential, type SealedCredential, type StoredLogin, updateCredential } from "./queries/logins.ts";
import { getSealingIdentity, type LoginName } from "./rules/login.ts";
import { formatMaskedKey } from "./rules/pasted-key.ts";

/** The tokens that a provider issued for a login. */
export interface LoginTokens {
  accessToken: string;
  refreshToken: string;
}

/** A login with its unsealed tokens. */
export interface Login extends LoginTokens, SealedCredential {
  kind: "login";
}

export type Credential = { kind: "key"; apiKey: string } | Login;

/** Reads and unseals the credential of a login; null if there is none. */
export async function readCredential(
  env: Pick<Env, "DB" | "SEALING_KEYS">,
  name: LoginName,
): Promise<Credential | null> {
  const found = await findCredential(env.DB, name);
  return found && (await unsealCredential(env, name, found));
}

/** Unseals the credential of a login. */
export async function unsealCredential(
  env: Pick<Env, "SEALING_KEYS">,
  name: LoginName,
  found: SealedCredential,
): Promise<Credential> {
  switch (found.kind) {
    case "key":
      return { kind: "key", apiKey: await open(env, name, found.sealed) };
    case "login": {
      const { kind, sealed, fingerprint, expiresAt, needsReauth } = found;
      return { kind, sealed, fingerprint, expiresAt, needsReauth, ...(await unsealTokens(env, name, sealed)) };
    }
  }
}

/**
 * Seals a stored credential again, with the first key. Does nothing if it was deleted or replaced
 * meanwhile.
 */
export async function resealCredential(env: Pick<Env, "DB" | "SEALING_KEYS">, name: LoginName): Promise<void> {
  const found = await findCredential(env.DB, name);
  if (!found) return;
  const text = await open(env, name, found.sealed);
  await updateCredential(env.DB, name, found, {
    sealed: await seal(env.SEALING_KEYS, getSealingIdentity(name), text),
  });
}

/** Unseals what `sealTokens` returned. */
export async function unsealTokens(
  env: Pick<Env, "SEALING_KEYS">,
  name: LoginName,
  sealed: string,
): Promise<LoginTokens> {
  return JSON.parse(await open(env, name, sealed));
}

function open(env: Pick<Env, "SEALING_KEYS">, name: LoginName, sealed: string) {
  return unseal(env.SEALING_KEYS, getSealingIdentity(name), sealed);
}

/** A pasted API key in its stored form. */
export async function sealKey(
  env: Pick<Env, "SEALING_KEYS">,
  name: LoginName,
  apiKey: string,
  now: number,
): Promise<StoredLogin> {
  return {
    kind: "key",
    sealed: await seal(env.SEALING_KEYS, getSealingIdentity(name), apiKey),
    fingerprint: await getKeyHash(`${name.provider}:${apiKey}`),
    label: apiKey.slice(-4),
    maskedKey: formatMaskedKey(apiKey),
    accountEmail: null,
    expiresAt: null,
    exhaustedUntil: null,
    authenticatedAt: now,
  };
}

/** The tokens of an account that has signed in, in their stored form. */
export async function sealAccountTokens(
  env: Pick<Env, "SEALING_KEYS">,
  name: LoginName,
  { account, tokens }: { account: Account; tokens: NewTokens },
  now: number,
): Promise<StoredLogin> {
  return {
    kind: "login",
    sealed: await sealTokens(env, name, tokens),
    fingerprint: await getAccountFingerprint(name.provider, account.id),
    label: account.email ?? account.id,
    maskedKey: null,
    accountEmail: account.email,
    expiresAt: tokens.expiresAt,
    exhaustedUntil: null,
    authenticatedAt: now,
  };
}

/**
 * Identifies an account, so that it is found again. No key has the same hash, because keys contain
 * no spaces.
 */
export function getAccountFingerprint(provider: ProviderId, accountId: string): Promise<string> {
  return getKeyHash(`${provider}: account ${accountId}`);
}

/** Seals a login's tokens for storage. */
export async function sealTokens(
  env: Pick<Env, "SEALING_KEYS">,
  name: LoginName,
  { accessToken, refreshToken }: LoginTokens,
): Promise<string> {
  return await seal(env.SEALING_KEYS, getSealingIdentity(name), JSON.stringify({ accessToken, refreshToken }));
}

// The token must still be valid when the call reaches the provider.
const expiryMarginMs = 60_000;

/** True if the access token has expired or is about to. */
export function isExpired({ expiresAt }: Pick<Login, "expiresAt">, now: number): boolean {
  return expiresAt !== null && expiresAt <= now + expiryMarginMs;
}
