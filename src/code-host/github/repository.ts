// A repository at GitHub: its id, its branches, and the access of people.
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import type { Repository, RepositoryAccess } from "../code-host.ts";
import { type CallGithub, readPages } from "./call.ts";

interface RepositoryAnswer {
  id: number;
  full_name: string;
  default_branch: string;
}

interface PermissionAnswer {
  permission: string;
  user?: { id: number } | null;
}

/** Reads a repository by its name. */
export async function readRepository(
  call: CallGithub,
  repository: string,
  signal: AbortSignal,
): Promise<Repository | Refusal> {
  const found = await call<RepositoryAnswer>({ method: "GET", path: `/repos/${repository}` }, signal);
  if (isRefusal(found)) return found;
  return { repositoryId: found.id, repository: found.full_name, defaultBranch: found.default_branch };
}

/** True if the repository has the branch. */
export async function hasBranch(
  call: CallGithub,
  repository: string,
  branch: string,
  signal: AbortSignal,
): Promise<boolean | Refusal> {
  const path = `/repos/${repository}/branches/${encodeURIComponent(branch)}`;
  return isThere(await call({ method: "GET", path }, signal));
}

/** Lists the names of the branches. */
export async function listBranches(
  call: CallGithub,
  repository: string,
  signal: AbortSignal,
): Promise<string[] | Refusal> {
  const names = (answer: { name: string }[]) => answer.map(({ name }) => name);
  return await readPages(call, `/repos/${repository}/branches`, names, signal);
}

/**
 * Reads a person's access. It is also `none` if the login does not exist or belongs to another
 * account.
 */
export async function readAccess(
  call: CallGithub,
  repository: string,
  { login, hostUserId }: { login: string; hostUserId: string },
  signal: AbortSignal,
): Promise<RepositoryAccess | Refusal> {
  const path = `/repos/${repository}/collaborators/${encodeURIComponent(login)}/permission`;
  const found = await call<PermissionAnswer>({ method: "GET", path }, signal);
  if (isRefusal(found)) return found.code === "NOT_FOUND" ? "none" : found;
  if (found.permission === "none" || String(found.user?.id) !== hostUserId) return "none";
  return ["admin", "write"].includes(found.permission) ? "push" : "read";
}

function isThere(answer: unknown): boolean | Refusal {
  if (!isRefusal(answer)) return true;
  return answer.code === "NOT_FOUND" ? false : answer;
}

/**
 * Repeats a call with the repository's current name if GitHub does not find it by the previous one.
 * GitHub redirects from the old name only until another repository takes it.
 */
export function withRename(call: CallGithub, repository: string, nameNow: () => Promise<string | null>): CallGithub {
  const before = `/repos/${repository}/`;
  return async <Answer>(wanted: Parameters<CallGithub>[0], signal: AbortSignal) => {
    const answer = await call<Answer>(wanted, signal);
    if (!isRefusal(answer) || answer.code !== "NOT_FOUND" || !wanted.path.startsWith(before)) return answer;
    const name = await nameNow();
    if (name === null || name.toLowerCase() === repository.toLowerCase()) return answer;
    return await call<Answer>({ ...wanted, path: `/repos/${name}/${wanted.path.slice(before.length)}` }, signal);
  };
}
