// Sign-out: revokes the browser session of the request.

import { endingCookie } from "../../http/credential.ts";
import { endpoint } from "../../http/endpoint.ts";
import { revokeUserKey } from "../../storage/queries/keys.ts";

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
    if (caller.user) await revokeUserKey(env.DB, "browser", caller.user.id, caller.keyId);
    return { status: 204, headers: { "set-cookie": endingCookie } };
  },
});

export const signOutRoutes = [signOut];
