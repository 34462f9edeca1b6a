// The user's own repository on the real code host, read with the user's own token.

import type { HostedRepository } from "../code-host/relay.ts";
import { isRepositoryName } from "../code-host/repository-name.ts";

/** The URLs and the token of the real code host, named as in its own tools. */
export interface GithubSettings {
  token: string | null;
  apiUrl: string;
  serverUrl: string;
}

export interface OwnHosted {
  type: "hosted";
  /** The name of its project. */
  name: string;
  repository: string;
  targetBranch: string;
  hosted: HostedRepository;
}

interface RepositoryAnswer {
  id: number;
  full_name: string;
  default_branch: string;
  permissions?: { push?: boolean };
}

const answerWaitMs = 20_000;

/** True for a text of the form `owner/name`. */
export function isHostedName(named: string): boolean {
  return isRepositoryName(named) && !named.startsWith(".");
}

/** Reads a repository. Returns a message that says what to do if it cannot be a project. */
export async function readOwnHosted(named: string, github: GithubSettings): Promise<OwnHosted | string> {
  const { token, apiUrl, serverUrl } = github;
  if (token === null) {
    return `There is no folder ${named}. To work on that repository of the code host, set GITHUB_TOKEN.`;
  }
  const headers = {
    accept: "application/vnd.github+json",
    authorization: `Bearer ${token}`,
    "user-agent": "switchyard",
    "x-github-api-version": "2022-11-28",
  };
  const ask = (path: string) =>
    fetch(apiUrl + path, { headers, redirect: "manual", signal: AbortSignal.timeout(answerWaitMs) });
  try {
    const answer = await ask(`/repos/${named}`);
    if (!answer.ok) return formatRefusal(answer.status, named, apiUrl);
    const { id, full_name, default_branch, permissions } = (await answer.json()) as RepositoryAnswer;
    if (permissions?.push === false) return `GITHUB_TOKEN may not push to ${full_name}. Give it that right.`;
    const branch = await ask(`/repos/${full_name}/branches/${encodeURIComponent(default_branch)}`);
    if (branch.status === 404) return `${full_name} has no commit on its branch ${default_branch} yet. Push one first.`;
    if (!branch.ok) return formatRefusal(branch.status, named, apiUrl);
    return {
      type: "hosted",
      name: full_name.split("/")[1] ?? full_name,
      repository: full_name,
      targetBranch: default_branch,
      hosted: { name: full_name, id, apiUrl, gitUrl: serverUrl, token },
    };
  } catch {
    return `The code host does not answer at ${apiUrl}.`;
  }
}

function formatRefusal(status: number, named: string, apiUrl: string): string {
  switch (status) {
    case 401:
      return "The code host refuses GITHUB_TOKEN: it is wrong, or over.";
    case 301:
    case 404:
      return (
        `The code host shows GITHUB_TOKEN no repository ${named}. Check the name, and give the token access to it: ` +
        "contents and pull requests, to read and write."
      );
    default:
      return `The code host answered ${status} at ${apiUrl} when it was asked for ${named}.`;
  }
}
