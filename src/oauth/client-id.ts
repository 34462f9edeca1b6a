// The ids of clients. An id is what the client said about itself, signed by the service, so that
// anyone may register and nothing is stored (RFC 7591, appendix A.5.2).
import { getKeyHash } from "../lib/base64url.ts";
import { createSecret } from "../lib/ids.ts";
import { type SigningKeys, sign, verify } from "../lib/signing.ts";
import type { OAuthClient } from "./rules/authorization.ts";

/** A client keeps its id for as long as it likes. */
const never = Number.MAX_SAFE_INTEGER;

/** Issues the id of a client. Two clients that say the same have different ids. */
export function issueClientId(keys: SigningKeys, { name, redirectUris }: OAuthClient): Promise<string> {
  return sign(keys, "oauth-client", { name, redirectUris, salt: createSecret().slice(0, 16) }, never);
}

/** The client with this id; null if this service did not issue it. */
export async function findClient(keys: SigningKeys, clientId: string | null): Promise<OAuthClient | null> {
  return clientId === null ? null : await verify<OAuthClient>(keys, "oauth-client", clientId, 0);
}

/** The hash by which the codes and keys of a client are recognized. */
export function getClientHash(clientId: string): Promise<string> {
  return getKeyHash(clientId);
}
