// Sign-out: revokes the browser session of the request.

import { endpoint } from "../../http/endpoint.ts";
import { revokeKey } from "../../key/create-and-revoke-revoke-key.ts";
import { endingCookie } from "../../key/credential.ts";

const signOut = endpoint({
  method: "POST",
  path: "/api/auth/sign-out",
  operation: "signOut",
  summary: "Sign out this browser session.",
  tag: "Account",
  access: "sign-out",
  noun: "none",
  answers: { status: 204 },
  async handle({ env, caller }) {
    if (caller.user) await revokeKey(env, { kind: "browser", userId: caller.user.id, keyId: caller.keyId });
    return { status: 204, headers: { "set-cookie": endingCookie } };
  },
});

export const signOutRoutes = [signOut];
