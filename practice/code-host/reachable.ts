// The code host's REST endpoints for what a user and the app both reach: the installations, which
// are the owners of repositories, and the repositories of one.
import { getInstallationId } from "./app.ts";
import type { BareRepository } from "./bare-repository.ts";
import type { CodeHostPerson } from "./people.ts";
import type { Permission } from "./permissions.ts";
import type { HostedRepository } from "./relay.ts";
import { type ApiAnswer, getPage, notFound } from "./rest.ts";

export interface ReachableParts {
  listRepositories(): Promise<string[]>;
  open(name: string): Pick<BareRepository, "defaultBranch" | "newestCommitTime">;
  getId(name: string): number;
  isInstalled(name: string): boolean;
  isPublic(name: string): boolean;
  findPermission(name: string, login: string): Permission;
  hosted: HostedRepository | null;
}

const repositoriesPath = /^\/user\/installations\/(\d+)\/repositories$/;

/** Handles the endpoints about installations of a token's user; null for any other. */
export async function handleReachable(
  codeHost: ReachableParts,
  { method, path, query, person }: { method: string; path: string; query: URLSearchParams; person: CodeHostPerson },
): Promise<ApiAnswer | null> {
  const [, asked] = repositoriesPath.exec(path) ?? [];
  if (method !== "GET" || (asked === undefined && path !== "/user/installations")) return null;
  const hosted = codeHost.hosted ? [codeHost.hosted.name] : [];
  const names = [...new Set([...hosted, ...(await codeHost.listRepositories())])].filter(
    (name) => codeHost.isInstalled(name) && codeHost.findPermission(name, person.login) !== "none",
  );
  const byOwner = Map.groupBy(names, (name) => name.split("/")[0] ?? "");
  if (asked === undefined) {
    const installations = [...byOwner.keys()].map((login) => {
      const id = getInstallationId(login);
      return { id, account: { login }, repository_selection: "selected", suspended_at: null };
    });
    const page = getPage(installations, query);
    return { status: 200, body: { total_count: installations.length, installations: page } };
  }
  const [, own] = [...byOwner].find(([owner]) => getInstallationId(owner) === Number(asked)) ?? [];
  if (!own) return notFound;
  const repositories = await Promise.all(
    getPage(own, query).map((name) =>
      name === codeHost.hosted?.name
        ? readHosted(codeHost.hosted)
        : toWire(codeHost, name, codeHost.findPermission(name, person.login)),
    ),
  );
  return { status: 200, body: { total_count: own.length, repositories } };
}

async function toWire(codeHost: ReachableParts, name: string, permission: Permission) {
  const repository = codeHost.open(name);
  const [default_branch, pushed_at] = await Promise.all([repository.defaultBranch(), repository.newestCommitTime()]);
  return {
    id: codeHost.getId(name),
    name: name.split("/")[1],
    full_name: name,
    private: !codeHost.isPublic(name),
    archived: false,
    ...{ default_branch, pushed_at },
    permissions: { admin: false, push: permission === "write", pull: true },
  };
}

/** The repository of the real code host, as that describes it. */
async function readHosted({ apiUrl, name, token }: HostedRepository): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" };
  const answer = await fetch(`${apiUrl}/repos/${name}`, { headers });
  if (!answer.ok) throw new Error(`${name} answered ${answer.status}`);
  return await answer.json();
}
