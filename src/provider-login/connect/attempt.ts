// Starts a sign-in at a model provider, for a user's subscription or a workspace's credential.

import { getProviderLoginObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { getKeyHash } from "../../lib/base64url.ts";
import { createId, createSecret } from "../../lib/ids.ts";
import { providers } from "../../model/providers.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../../rules/refusal.ts";
import { seal, unseal } from "../../storage/sealing.ts";
import { notifyTurnsOfPayer } from "../invalidate-payer.ts";
import { addAttempt, findAttempt } from "../queries/connect-attempts.ts";
import { getWorkspaceLogin } from "../rules/login.ts";
import { getAttemptExpiry, getOwnAttempt, type SignInAnswer, type SignInClaim } from "../rules/sign-in.ts";
import type { StartedSignIn } from "../wire/connect.ts";
import { type BrowserSecrets, startInBrowser } from "./browser-flow.ts";
import { startOnDevice } from "./device-flow.ts";
import { signInClient } from "./oauth-client.ts";
import { revokeAfterResponse } from "./revoke.ts";
import type { NewTokens } from "./token-endpoint.ts";

/** SERVICE_UNAVAILABLE if a setting is missing, or the provider does not start a sign-in. */
export async function startSignIn(env: Env, claim: SignInClaim, now: number): Promise<StartedSignIn | Refusal> {
  return providers[claim.provider].connectsBy === "device"
    ? await onDevice(env, claim, now)
    : await inBrowser(env, claim, now);
}

async function inBrowser(env: Env, claim: SignInClaim, now: number): Promise<StartedSignIn | Refusal> {
  const client = signInClient(env, claim.provider, "browser");
  if (isRefusal(client)) return client;
  const { url, secrets } = await startInBrowser(client);
  const expiresAt = getAttemptExpiry(now);
  const step: AttemptStep = { type: "browser", ...secrets };
  return { url, loginToken: await keep(env, claim, { step, expiresAt, intervalSeconds: null }), expiresAt };
}

async function onDevice(env: Env, claim: SignInClaim, now: number): Promise<StartedSignIn | Refusal> {
  const client = signInClient(env, claim.provider, "device");
  if (isRefusal(client)) return client;
  const code = await startOnDevice(client);
  if (code === null) {
    const { name } = providers[claim.provider];
    return refuse("SERVICE_UNAVAILABLE", `${name} could not start a sign-in by device code. Try again shortly.`);
  }
  const { deviceCode, userCode, verificationUrl, intervalSeconds, lifetimeMs } = code;
  const expiresAt = getAttemptExpiry(now, lifetimeMs);
  const step: AttemptStep = { type: "device", deviceCode };
  const loginToken = await keep(env, claim, { step, expiresAt, intervalSeconds });
  return { userCode, verificationUrl, loginToken, intervalSeconds, expiresAt };
}

/** Returns the login token. Only its hash is stored. */
async function keep(
  env: Env,
  { owner, provider, callerId }: SignInClaim,
  { step, expiresAt, intervalSeconds }: { step: AttemptStep; expiresAt: number; intervalSeconds: number | null },
): Promise<string> {
  const loginToken = createSecret("svc_login_");
  const tokenHash = await getKeyHash(loginToken);
  await addAttempt(env.DB, {
    tokenHash,
    callerId,
    ownerType: owner.type,
    ownerId: owner.id,
    provider,
    loginId: owner.type === "workspace" ? getWorkspaceLogin(owner.id, provider).id : createId(),
    sealed: await sealStep(env, tokenHash, step),
    expiresAt,
    intervalSeconds,
  });
  return loginToken;
}

/**
 * Finishes a sign-in at a model provider, in the object of its login, so that two concurrent calls
 * connect only once. `code` is what the person copied from the browser. BAD_REQUEST for a login
 * token that is unknown or belongs to somebody else.
 */
export async function finishSignIn(
  env: Env,
  claim: SignInClaim,
  { loginToken, code }: { loginToken: string; code?: string | undefined },
): Promise<SignInAnswer | Refusal> {
  if (code === undefined && providers[claim.provider].connectsBy === "browser")
    return refuseField("code", "is required");
  const tokenHash = await getKeyHash(loginToken);
  const attempt = await findAttempt(env.DB, tokenHash);
  const own = getOwnAttempt(attempt, claim);
  if (isRefusal(own)) return own;
  const answer = (await getProviderLoginObject(env, own.name).finishSignIn(tokenHash, code ?? null)) as
    | SignInAnswer
    | Refusal;
  const { owner } = own.name;
  if (!isRefusal(answer) && answer.authenticated && owner.type === "workspace") await notifyTurnsOfPayer(env, owner.id);
  // The login of another account may have been replaced, or the new one not saved.
  if (isRefusal(answer) || answer.authenticated) revokeAfterResponse(env);
  return answer;
}

/**
 * What the next step of a sign-in needs. It is stored sealed with the attempt, under the hash of
 * its login token.
 */
export type AttemptStep =
  | ({ type: "browser" } & BrowserSecrets)
  | { type: "device"; deviceCode: string }
  /**
   * The provider has issued the tokens, but the login is not stored yet. They are saved so that a
   * service that is killed here loses nothing.
   */
  | { type: "tokens"; tokens: NewTokens };

export function sealStep(env: Pick<Env, "SEALING_KEYS">, tokenHash: string, step: AttemptStep): Promise<string> {
  return seal(env.SEALING_KEYS, getIdentity(tokenHash), JSON.stringify(step));
}

export async function unsealStep(
  env: Pick<Env, "SEALING_KEYS">,
  { tokenHash, sealed }: { tokenHash: string; sealed: string },
): Promise<AttemptStep> {
  return JSON.parse(await unseal(env.SEALING_KEYS, getIdentity(tokenHash), sealed));
}

const getIdentity = (tokenHash: string) => `sign-in-attempt:${tokenHash}`;
