// The forge's REST interface for commits: how far a branch is from another, and the statuses that checks set.
import type { Announcements, CommitStatus } from "./announcements.ts";
import type { BareRepository } from "./bare-repository.ts";
import { type ApiAnswer, notFound } from "./rest.ts";

export interface CommitCall {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

/** The repository that a path about commits names; null for any other path. */
export function repositoryOfCommits(path: string): string | null {
  return /^\/repos\/([^/]+\/[^/]+)\/(?:compare|statuses)\//.exec(path)?.[1] ?? null;
}

/** Answers a call on a repository that exists. */
export async function answerCommits(
  name: string,
  repository: BareRepository,
  announcements: Announcements,
  { method, path, body }: CommitCall,
): Promise<ApiAnswer> {
  const [, kind, rest = ""] = /^\/repos\/[^/]+\/[^/]+\/(compare|statuses)\/(.+)$/.exec(path) ?? [];
  if (kind === "compare" && method === "GET") {
    const [base = "", branch = ""] = rest.split("...").map(decodeURIComponent);
    const compared = await repository.compare(base, branch);
    if (!compared) return notFound;
    const { behindBy: behind_by, aheadBy: ahead_by } = compared;
    return { status: 200, body: { ahead_by, behind_by, total_commits: ahead_by } };
  }
  const status = kind === "statuses" && method === "POST" ? statusOf(rest, body) : null;
  if (status === null) return notFound;
  await announcements.status(name, status);
  return { status: 201, body: { state: status.state, context: status.context } };
}

const states: readonly CommitStatus["state"][] = ["error", "failure", "pending", "success"];

function statusOf(sha: string, { state, context = "default" }: Record<string, unknown>): CommitStatus | null {
  const known = states.find((one) => one === state);
  return known && typeof context === "string" ? { sha, state: known, context } : null;
}
