// The cookie of a sign-in in progress. It binds the code host's callback to the browser that
// started the sign-in, and to the user who was signed in there. It is sealed, so that it can be
// neither forged nor read.

import { findCookie } from "../key/credential.ts";
import { createSecret } from "../lib/ids.ts";
import { seal, unseal } from "../storage/sealing.ts";

export interface SignIn {
  /** The OAuth state. The callback must return it. */
  state: string;
  /** The PKCE verifier for the exchange of the code. */
  verifier: string;
  /** The user who was signed in; null if there was none. */
  userId: string | null;
  /** The path of the service to return to. */
  returnTo: string;
  expiresAt: number;
}

/** The time limit for authorizing at the code host. */
const signInMs = 10 * 60_000;
const cookie = "svc_sign_in";
const identity = "sign-in";

/** Starts a sign-in. Returns it with the cookie to set. */
export async function startSignIn(
  sealingKeys: string,
  values: Pick<SignIn, "userId" | "returnTo">,
  now: number,
): Promise<SignIn & { cookie: string }> {
  const signIn: SignIn = { ...values, state: createSecret(), verifier: createSecret(), expiresAt: now + signInMs };
  const value = await seal(sealingKeys, identity, JSON.stringify(signIn));
  return { ...signIn, cookie: cookieWith(value, signInMs / 1_000) };
}

/** The sign-in in progress in this browser; null if there is none or its time limit has passed. */
export async function findSignIn(sealingKeys: string, request: Request, now: number): Promise<SignIn | null> {
  const value = findCookie(request, cookie);
  const text = value === null ? null : await unseal(sealingKeys, identity, value).catch(() => null);
  if (text === null) return null;
  const signIn: SignIn = JSON.parse(text);
  return signIn.expiresAt > now ? signIn : null;
}

/** The cookie that deletes the sign-in. */
export const endingSignInCookie = cookieWith("", 0);

function cookieWith(value: string, seconds: number): string {
  return `${cookie}=${value}; Path=/api/auth; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`;
}
