// Begins a sign-in at a model provider, for a user's subscription or a workspace's credential.
import type { Env } from "../../env.ts";
import { newId, newSecret } from "../../ids.ts";
import { providers } from "../../model/providers.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { keyHash } from "../../storage/key-hash.ts";
import { addAttempt } from "../queries/connect-attempts.ts";
import { attemptExpiry, type SignInClaim } from "../rules/connect.ts";
import { workspaceLogin } from "../rules/login.ts";
import { type AttemptStep, sealStep } from "./attempt-attempt-step.ts";
import { beginInBrowser } from "./browser-flow.ts";
import { beginOnDevice } from "./device-flow.ts";
import { signInClient } from "./oauth-client.ts";

interface Begun {
  loginToken: string;
  expiresAt: number;
}

export type BegunSignIn =
  | (Begun & { url: string })
  | (Begun & { userCode: string; verificationUrl: string; intervalSeconds: number });

/** SERVICE_UNAVAILABLE if a setting is missing, or the provider starts no sign-in. */
export async function beginSignIn(env: Env, claim: SignInClaim, now: number): Promise<BegunSignIn | Refusal> {
  return providers[claim.provider].connectsBy === "device"
    ? await onDevice(env, claim, now)
    : await inBrowser(env, claim, now);
}

async function inBrowser(env: Env, claim: SignInClaim, now: number): Promise<BegunSignIn | Refusal> {
  const client = signInClient(env, claim.provider, "browser");
  if (isRefusal(client)) return client;
  const { url, secrets } = await beginInBrowser(client);
  const expiresAt = attemptExpiry(now);
  const step: AttemptStep = { type: "browser", ...secrets };
  return { url, loginToken: await keep(env, claim, { step, expiresAt, intervalSeconds: null }), expiresAt };
}

async function onDevice(env: Env, claim: SignInClaim, now: number): Promise<BegunSignIn | Refusal> {
  const client = signInClient(env, claim.provider, "device");
  if (isRefusal(client)) return client;
  const code = await beginOnDevice(client);
  if (code === null) {
    const { name } = providers[claim.provider];
    return refuse("SERVICE_UNAVAILABLE", `${name} could not start a sign-in by device code. Try again shortly.`);
  }
  const { deviceCode, userCode, verificationUrl, intervalSeconds, lifetimeMs } = code;
  const expiresAt = attemptExpiry(now, lifetimeMs);
  const step: AttemptStep = { type: "device", deviceCode };
  const loginToken = await keep(env, claim, { step, expiresAt, intervalSeconds });
  return { userCode, verificationUrl, loginToken, intervalSeconds, expiresAt };
}

/** Answers the login token, of which only the hash is kept. */
async function keep(
  env: Env,
  { owner, provider, callerId }: SignInClaim,
  { step, expiresAt, intervalSeconds }: { step: AttemptStep; expiresAt: number; intervalSeconds: number | null },
): Promise<string> {
  const loginToken = newSecret("svc_login_");
  const tokenHash = await keyHash(loginToken);
  await addAttempt(env.DB, {
    tokenHash,
    callerId,
    ownerType: owner.type,
    ownerId: owner.id,
    provider,
    loginId: owner.type === "workspace" ? workspaceLogin(owner.id, provider).id : newId(),
    sealed: await sealStep(env, tokenHash, step),
    expiresAt,
    intervalSeconds,
  });
  return loginToken;
}
