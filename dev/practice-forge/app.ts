// An app that is installed in all repositories of the forge. It authenticates by a JWT, and gets tokens for single repositories that are valid
// for an hour or until the forge ends.
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import { type ApiAnswer, notFound, unprocessable } from "./rest.ts";

export interface AppSettings {
  id: string;
  /** A public or private key in PEM. */
  key: string;
  /** The lifetime of its tokens. */
  tokenMs?: number;
}

export interface ForgeApp {
  /** True for a valid JWT of the app. */
  isProof(credential: string): boolean;
  /** The repositories that a token grants access to; null for an unknown or expired one. */
  repositoriesOf(credential: string): readonly string[] | null;
  /** Answers the endpoints for apps; null for any other path. */
  answer(method: string, path: string, body: Record<string, unknown>): Promise<ApiAnswer | null>;
  /** Revokes all tokens. */
  revokeTokens(): void;
}

const hourMs = 3_600_000;
const longestProofSeconds = 600;
const skewSeconds = 60;

/** Creates an app. */
export function openApp(
  { id, key, tokenMs = hourMs }: AppSettings,
  hasRepository: (name: string) => Promise<boolean>,
): ForgeApp {
  const publicKey = createPublicKey(key);
  const tokens = new Map<string, { repositories: string[]; expiresAt: number }>();
  const owners = new Map<number, string>();

  function issue(owner: string, { repositories }: Record<string, unknown>): ApiAnswer {
    if (!Array.isArray(repositories) || repositories.length === 0) {
      return unprocessable("The practice forge gives tokens for named repositories alone.");
    }
    const token = `ghs_practice_${randomBytes(27).toString("base64url")}`;
    const expiresAt = Date.now() + tokenMs;
    tokens.set(token, { repositories: repositories.map((name) => `${owner}/${name}`), expiresAt });
    return { status: 201, body: { token, expires_at: new Date(expiresAt).toISOString() } };
  }

  return {
    isProof(credential) {
      const [head = "", claims = "", signature = "", ...rest] = credential.split(".");
      if (signature === "" || rest.length > 0) return false;
      const signed = Buffer.from(`${head}.${claims}`);
      if (!verify("RSA-SHA256", signed, publicKey, Buffer.from(signature, "base64url"))) return false;
      const { iss, iat, exp } = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
      const now = Date.now() / 1_000;
      return iss === id && exp > now && exp - iat <= longestProofSeconds && iat <= now + skewSeconds;
    },
    repositoriesOf(credential) {
      const token = tokens.get(credential);
      return token && token.expiresAt > Date.now() ? token.repositories : null;
    },
    async answer(method, path, body) {
      const [, repository] = /^\/repos\/([^/]+\/[^/]+)\/installation$/.exec(path) ?? [];
      if (method === "GET" && repository) {
        if (!(await hasRepository(repository))) return notFound;
        const [owner = ""] = repository.split("/");
        const installation = createHash("sha256").update(owner).digest().readUInt32BE();
        owners.set(installation, owner);
        return { status: 200, body: { id: installation, account: { login: owner }, suspended_at: null } };
      }
      const [, installation] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? [];
      if (method !== "POST" || !installation) return null;
      const owner = owners.get(Number(installation));
      return owner ? issue(owner, body) : notFound;
    },
    revokeTokens: () => tokens.clear(),
  };
}
