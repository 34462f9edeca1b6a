// The code host seam: what the service needs of whatever keeps the repositories: git over HTTP, with one token.
import type { Env } from "../env.ts";

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
