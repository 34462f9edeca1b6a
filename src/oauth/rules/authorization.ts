// An authorization request of a client (OAuth 2.1, section 4.1.1; RFC 8707): a code with PKCE, for
// the address of MCP and nothing else.
import { type Scope, scopes } from "../../access/rules/scope.ts";
import { stateCharactersMax } from "../../rules/limits.ts";
import { isRegisteredRedirect } from "./redirect.ts";

/** A client, as it registered itself. Nobody has checked what it says. */
export interface OAuthClient {
  name: string;
  redirectUris: string[];
}

export interface AuthorizationRequest {
  redirectUri: string;
  /** The SHA-256 of the client's secret for this request, in base64url. */
  challenge: string;
  scopes: Scope[];
  state: string | null;
}

const challengeShape = /^[A-Za-z0-9_-]{43}$/;
const verifierShape = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Reads the parameters of a request, or says what is wrong. `resource` is the address of MCP. A
 * wrong request is shown to the person and never sent back, because anyone may register a client.
 */
export function parseAuthorization(
  query: URLSearchParams,
  { client, resource }: { client: OAuthClient; resource: string },
): AuthorizationRequest | string {
  const names = [...query.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) return `The parameter ${repeated} is repeated.`;
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!isRegisteredRedirect(client.redirectUris, redirectUri)) return "The client did not register its redirect_uri.";
  if (query.get("response_type") !== "code") return "The response_type has to be code.";
  const challenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256" || !challengeShape.test(challenge))
    return "The request needs a code_challenge of the method S256.";
  if (!isResource(query.get("resource"), resource)) return `The resource has to be ${resource}.`;
  const asked = parseScopes(query.get("scope"));
  if (asked === null) return `The scopes are ${scopes.join(" and ")}.`;
  const state = query.get("state");
  if (state !== null && state.length > stateCharactersMax) return "The state is too long.";
  return { redirectUri, challenge, scopes: asked, state };
}

/** True for the resource of this service. A client that names none gets it, too. */
export function isResource(named: string | null, resource: string): boolean {
  return named === null || named === resource || named === `${resource}/`;
}

/** The scopes of a request, `read` by default; null if one is unknown. */
export function parseScopes(text: string | null): Scope[] | null {
  const named = (text ?? "").split(" ").filter(Boolean);
  const isKnown = (name: string): name is Scope => (scopes as readonly string[]).includes(name);
  if (!named.every(isKnown)) return null;
  // Work is not possible without reading.
  return scopes.filter((scope) => scope === "read" || named.includes(scope));
}

/** True for a text that can be the secret of a request. */
export function isVerifier(text: string): boolean {
  return verifierShape.test(text);
}
