// The cookie of a sign-in that is under way: it binds what comes back from the code host to the browser that set out, and to who was signed in
// there then. It is sealed, so nobody else can make one or read it.
import { newSecret } from "../ids.ts";
import { seal, unseal } from "../storage/sealing.ts";
import { cookieOf } from "./credential.ts";

export interface SignIn {
  /** Goes with the person to the code host, and has to come back with them. */
  state: string;
  /** What the exchange of the code shows. */
  verifier: string;
  /** Who was signed in; null for nobody. */
  userId: string | null;
  /** The path of the service's own page to go to afterwards. */
  returnTo: string;
  expiresAt: number;
}

/** How long somebody may take to agree at the code host. */
const signInMs = 10 * 60_000;
const cookie = "svc_sign_in";
const identity = "sign-in";

/** Begins a sign-in, and answers it with the cookie to set. */
export async function beginSignIn(
  sealingKeys: string,
  wish: Pick<SignIn, "userId" | "returnTo">,
  now: number,
): Promise<SignIn & { cookie: string }> {
  const signIn: SignIn = { ...wish, state: newSecret(), verifier: newSecret(), expiresAt: now + signInMs };
  const value = await seal(sealingKeys, identity, JSON.stringify(signIn));
  return { ...signIn, cookie: cookieWith(value, signInMs / 1_000) };
}

/** The sign-in that this browser has under way; null for one without, or with one that is over. */
export async function signInOf(sealingKeys: string, request: Request, now: number): Promise<SignIn | null> {
  const value = cookieOf(request, cookie);
  const text = value === null ? null : await unseal(sealingKeys, identity, value).catch(() => null);
  if (text === null) return null;
  const signIn: SignIn = JSON.parse(text);
  return signIn.expiresAt > now ? signIn : null;
}

/** Makes the browser forget its sign-in. */
export const endingSignInCookie = cookieWith("", 0);

function cookieWith(value: string, seconds: number): string {
  return `${cookie}=${value}; Path=/api/auth; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`;
}
