// The credentials that model calls are made with: a pasted key, or a login whose tokens are refreshed. They rest sealed and are opened
// here alone.
import type { Env } from "../env.ts";
import { type LoginName, sealingIdentity } from "../rules/model/login.ts";
import { findCredential, type SealedCredential } from "../storage/queries/logins.ts";
import { seal, unseal } from "../storage/sealing.ts";

/** What a provider handed out for a login. */
export interface LoginTokens {
  accessToken: string;
  refreshToken: string;
}

/** A login as it was read. */
export interface Login extends LoginTokens, SealedCredential {
  kind: "login";
}

export type Credential = { kind: "key"; apiKey: string } | Login;

/** What a login's calls are made with; null where nobody holds it. */
export async function readCredential(
  env: Pick<Env, "DB" | "SEALING_KEYS">,
  name: LoginName,
): Promise<Credential | null> {
  const found = await findCredential(env.DB, name);
  if (!found) return null;
  switch (found.kind) {
    case "key":
      return { kind: "key", apiKey: await open(env, name, found.sealed) };
    case "login":
      return { ...found, kind: "login", ...(await openTokens(env, name, found.sealed)) };
  }
}

/** The tokens that rest in what `sealTokens` made. */
export async function openTokens(
  env: Pick<Env, "SEALING_KEYS">,
  name: LoginName,
  sealed: string,
): Promise<LoginTokens> {
  return JSON.parse(await open(env, name, sealed));
}

function open(env: Pick<Env, "SEALING_KEYS">, name: LoginName, sealed: string) {
  return unseal(env.SEALING_KEYS, sealingIdentity(name), sealed);
}

/** A login's tokens as they rest. */
export async function sealTokens(
  env: Pick<Env, "SEALING_KEYS">,
  name: LoginName,
  { accessToken, refreshToken }: LoginTokens,
): Promise<string> {
  return await seal(env.SEALING_KEYS, sealingIdentity(name), JSON.stringify({ accessToken, refreshToken }));
}

// A call takes a while to reach the provider.
const expiryMarginMs = 60_000;

/** True for a login whose access token is not worth sending any more. */
export function isExpired({ expiresAt }: Pick<Login, "expiresAt">, now: number): boolean {
  return expiresAt !== null && expiresAt <= now + expiryMarginMs;
}
