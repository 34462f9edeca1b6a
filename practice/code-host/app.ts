// An app that is installed in all repositories of the code host, except those closed to it. It
// authenticates with a JWT, and gets tokens for single repositories, which are valid for an hour or
// until the code host ends.
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import { appPath, appSlug } from "./issues.ts";
import { type ApiAnswer, notFound, unprocessable } from "./rest.ts";

export interface AppSettings {
  id: string;
  /** A public or private key in PEM. */
  key: string;
  /** The lifetime of its tokens. */
  tokenMs?: number;
}

export interface CodeHostApp {
  /** True for a valid JWT of the app. */
  isProof(credential: string): boolean;
  /**
   * Returns a predicate for the repositories that a token grants; null for an unknown or expired
   * token.
   */
  openedBy(credential: string): ((name: string) => boolean) | null;
  /** Handles the endpoints for apps; null for any other path. */
  answer(method: string, path: string, body: Record<string, unknown>): Promise<ApiAnswer | null>;
  /** Revokes all tokens. */
  revokeTokens(): void;
}

/** The permissions in its repositories. */
const held = {
  contents: "write",
  pull_requests: "write",
  issues: "write",
  checks: "read",
  statuses: "read",
  metadata: "read",
};
/** The events that it receives, with the permission of each. */
const sent = {
  ...{ push: "contents", repository: "metadata", pull_request: "pull_requests", issues: "issues" },
  ...{ pull_request_review: "pull_requests", pull_request_review_comment: "pull_requests", issue_comment: "issues" },
  ...{ check_run: "checks", check_suite: "checks", status: "statuses" },
};
const hourMs = 3_600_000;
const longestProofSeconds = 600;
const skewSeconds = 60;

/** The repositories of the code host, by name and by id. */
export interface KnownRepositories {
  has(name: string): Promise<boolean>;
  getId(name: string): number;
  /** The name of the repository with this id; null if there is none. */
  named(id: number): Promise<string | null>;
  isInstalled(name: string): boolean;
  /** The permissions that the app lacks in a repository. */
  listWithheld(name: string): string[];
}

/** The id of the app's installation for an owner of repositories. */
export function getInstallationId(owner: string): number {
  return createHash("sha256").update(owner).digest().readUInt32BE();
}

/** Creates an app. Its pages are at `url`. */
export function createApp(
  { id, key, tokenMs = hourMs }: AppSettings,
  known: KnownRepositories,
  url: () => string,
): CodeHostApp {
  const publicKey = createPublicKey(key);
  const tokens = new Map<string, { ids: number[]; expiresAt: number }>();
  const owners = new Map<number, string>();

  const opens = async (name: string) => (await known.has(name)) && known.isInstalled(name);

  /**
   * The requested repositories of an owner, by `repositories` or `repository_ids`; null if one does
   * not exist.
   */
  async function asked(owner: string, { repositories, repository_ids }: Record<string, unknown>) {
    const names = Array.isArray(repositories) ? repositories.map((name) => `${owner}/${name}`) : [];
    if (Array.isArray(repository_ids)) {
      for (const id of repository_ids) names.push((await known.named(Number(id))) ?? "");
    }
    const found: { id: number; full_name: string }[] = [];
    for (const name of names) {
      if (!name.startsWith(`${owner}/`) || !(await opens(name))) return null;
      found.push({ id: known.getId(name), full_name: name });
    }
    return found;
  }

  async function issue(owner: string, body: Record<string, unknown>): Promise<ApiAnswer> {
    const repositories = await asked(owner, body);
    if (repositories === null) return unprocessable("A repository does not exist or is not accessible.");
    if (repositories.length === 0) {
      return unprocessable("The practice code host gives tokens only for named repositories.");
    }
    const token = `ghs_practice_${randomBytes(27).toString("base64url")}`;
    const expiresAt = Date.now() + tokenMs;
    tokens.set(token, { ids: repositories.map((one) => one.id), expiresAt });
    const permissions = body.permissions ?? held;
    const expires_at = new Date(expiresAt).toISOString();
    return { status: 201, body: { token, expires_at, permissions, repositories } };
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
    openedBy(credential) {
      const token = tokens.get(credential);
      if (!token || token.expiresAt <= Date.now()) return null;
      return (name) => token.ids.includes(known.getId(name)) && known.isInstalled(name);
    },
    async answer(method, path, body) {
      if (method === "GET" && path === "/app") {
        const body = { id: Number(id), slug: appSlug, html_url: url() + appPath };
        return { status: 200, body: { ...body, permissions: held, events: Object.keys(sent) } };
      }
      const [, repository] = /^\/repos\/([^/]+\/[^/]+)\/installation$/.exec(path) ?? [];
      if (method === "GET" && repository) {
        if (!(await opens(repository))) return notFound;
        const [owner = ""] = repository.split("/");
        const installation = getInstallationId(owner);
        owners.set(installation, owner);
        const withheld = known.listWithheld(repository);
        const permissions = Object.fromEntries(Object.entries(held).filter(([name]) => !withheld.includes(name)));
        const events = Object.entries(sent).flatMap(([event, of]) => (withheld.includes(of) ? [] : [event]));
        const account = { login: owner };
        return { status: 200, body: { id: installation, account, permissions, events, suspended_at: null } };
      }
      const [, installation] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? [];
      if (method !== "POST" || !installation) return null;
      const owner = owners.get(Number(installation));
      return owner ? await issue(owner, body) : notFound;
    },
    revokeTokens: () => tokens.clear(),
  };
}
