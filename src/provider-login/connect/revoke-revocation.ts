// The revocation of a login's tokens at its provider (RFC 7009).
import * as oauth from "oauth4webapi";
import { reasonOf } from "../../error-text.ts";
import type { LoginTokens } from "../credentials.ts";
import { type LoginClient, requestParts, withTimeout } from "./oauth-client.ts";

const waitMs = 10_000;

/** Revokes tokens. False if that is worth another try; a provider without a place for it has nothing to revoke. */
export async function revokeTokens(client: LoginClient, { accessToken, refreshToken }: LoginTokens): Promise<boolean> {
  if (client.revokeUrl === undefined) return true;
  // Most providers end the whole grant with its refresh token.
  const tokens = { refresh_token: refreshToken, access_token: accessToken };
  const revoked = await Promise.all(
    Object.entries(tokens).map(([hint, token]) => (token === "" ? true : revokeToken(client, token, hint))),
  );
  return revoked.every((isRevoked) => isRevoked);
}

async function revokeToken(client: LoginClient, token: string, hint: string): Promise<boolean> {
  try {
    return await withTimeout(waitMs, async (signal) => {
      const { server, client: id, authentication, options } = requestParts(client, signal);
      const response = await oauth.revocationRequest(server, id, authentication, token, {
        ...options,
        additionalParameters: { token_type_hint: hint },
      });
      await response.body?.cancel();
      // What the provider refuses for good, it refuses the next time too.
      return response.status < 500 && response.status !== 408 && response.status !== 429;
    });
  } catch (error) {
    console.error("a provider did not answer a revocation", reasonOf(error));
    return false;
  }
}
