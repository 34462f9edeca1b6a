// The code host seam: what the service needs of whatever keeps the repositories: git over HTTP, with one token.
import type { Env } from "../env.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";

export interface GitRemote {
  /** The repository's address, without `/info/refs` and its like. */
  url: string;
  /** The value of an Authorization header. */
  authorization: string;
}

/** Where a repository `owner/name` is served, and what opens it. */
export function gitRemote(env: Env, repository: string): GitRemote {
  return {
    url: `${env.CODE_HOST_GIT_URL}/${repository}.git`,
    authorization: `Basic ${btoa(`x-access-token:${env.CODE_HOST_TOKEN}`)}`,
  };
}

/** What the service asks of a code host's pull requests. Each is idempotent. */
export interface CodeHost {
  markReady(repository: string, number: number): Promise<Refusal | null>;
  markDraft(repository: string, number: number): Promise<Refusal | null>;
}

/** The code host that keeps the repositories. */
export function codeHost(_env: Env): CodeHost {
  const refused = async () =>
    refuse("SERVICE_UNAVAILABLE", "No code host app is set up, so no pull request can change.");
  return { markReady: refused, markDraft: refused };
}
