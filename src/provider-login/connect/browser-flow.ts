// A sign-in in the browser (OAuth's authorization code with PKCE): the URL that a person opens, and
// the exchange of the code that they bring back.
import * as oauth from "oauth4webapi";
import type { SignInClient } from "./oauth-client.ts";
import { requestTokens, type TokenResult } from "./token-endpoint.ts";

/** What is stored about a sign-in until its code arrives. */
export interface BrowserSecrets {
  verifier: string;
  state: string;
}

/**
 * Starts a sign-in. The URL contains only the hash of the verifier; the exchange sends the verifier
 * itself.
 */
export async function startInBrowser(
  client: SignInClient<"browser">,
): Promise<{ url: string; secrets: BrowserSecrets }> {
  const secrets = { verifier: oauth.generateRandomCodeVerifier(), state: oauth.generateRandomState() };
  const url = new URL(client.authorizeUrl);
  const query = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: client.redirectUrl,
    ...(client.scopes?.length && { scope: client.scopes.join(" ") }),
    state: secrets.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, secrets };
}

/** Exchanges the code of a sign-in for tokens. */
export function exchangeCode(client: SignInClient<"browser">, code: string, verifier: string): Promise<TokenResult> {
  return requestTokens(client, {
    type: "authorization_code",
    code,
    code_verifier: verifier,
    redirect_uri: client.redirectUrl,
  });
}
