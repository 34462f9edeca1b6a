// The repositories that a person and the service's app both reach at GitHub, read with the person's
// own token.
import type { ReachableRepository } from "../../project/rules/choices.ts";
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import { type CallGithub, noAccess } from "./call.ts";

const pageSize = 100;
/** Of all installations together, so at most 2,000 repositories are read. */
const pagesMax = 20;

interface InstallationsAnswer {
  installations: { id: number; suspended_at?: string | null }[];
}

interface RepositoriesAnswer {
  total_count: number;
  repositories: {
    full_name: string;
    default_branch: string;
    private: boolean;
    archived?: boolean;
    pushed_at?: string | null;
    permissions?: { push?: boolean };
  }[];
}

interface Page {
  total: number;
  repositories: ReachableRepository[];
}

/** Lists the repositories, with at most 21 calls. */
export async function listReachableRepositories(
  call: CallGithub,
  signal: AbortSignal,
): Promise<ReachableRepository[] | Refusal> {
  const read = async (installation: number, page: number): Promise<Page | Refusal> => {
    const path = `/user/installations/${installation}/repositories?per_page=${pageSize}&page=${page}`;
    const answer = await call<RepositoriesAnswer>({ method: "GET", path }, signal);
    if (!isRefusal(answer)) return { total: answer.total_count, repositories: answer.repositories.map(toReachable) };
    // An owner may have removed the app meanwhile, or admit nobody without a sign-in of its own.
    return answer === noAccess || answer.code === "NOT_FOUND" ? { total: 0, repositories: [] } : answer;
  };
  const path = `/user/installations?per_page=${pageSize}`;
  const installed = await call<InstallationsAnswer>({ method: "GET", path }, signal);
  if (isRefusal(installed)) return installed;
  const ids = installed.installations.flatMap(({ id, suspended_at: end }) => (end ? [] : [id])).slice(0, pagesMax);
  const firsts = await Promise.all(ids.map((id) => read(id, 1)));
  const later = ids.flatMap((id, at) => {
    const first = firsts[at];
    const pages = first && !isRefusal(first) ? Math.min(Math.ceil(first.total / pageSize), pagesMax) : 0;
    return Array.from({ length: Math.max(0, pages - 1) }, (_, place) => [id, place + 2] as const);
  });
  const rest = await Promise.all(later.slice(0, pagesMax - ids.length).map(([id, page]) => read(id, page)));
  const all: ReachableRepository[] = [];
  for (const page of [...firsts, ...rest]) {
    if (isRefusal(page)) return page;
    all.push(...page.repositories);
  }
  return all;
}

function toReachable(found: RepositoriesAnswer["repositories"][number]): ReachableRepository {
  const { full_name: repository, default_branch: defaultBranch, private: isPrivate } = found;
  return {
    ...{ repository, defaultBranch, isPrivate },
    mayPush: found.permissions?.push === true && !found.archived,
    pushedAt: found.pushed_at ? Date.parse(found.pushed_at) : null,
  };
}
