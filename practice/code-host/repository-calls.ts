// The code host's REST endpoints for repositories: their id, default branch and branches,
// permissions, the app's installation, rename and deletion.
import type { BareRepository } from "./bare-repository.ts";
import { findPerson, toWirePerson } from "./people.ts";
import type { Permission } from "./permissions.ts";
import { type ApiAnswer, getPage, notFound, unprocessable } from "./rest.ts";

const repositoryPath =
  /^\/repos\/([^/]+\/[^/]+)(?:\/(branches|collaborators)\/([^/]+)(\/permission)?|\/(installation|branches))?$/;

export interface RepositoryParts {
  open(name: string): BareRepository;
  getId(name: string): number;
  /** False if the new name is taken or invalid. */
  rename(name: string, to: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  findPermission(name: string, login: string): Permission;
  allow(name: string, login: string, permission: Permission): void;
  /**
   * Opens the repository to the app, or closes it. `withheld` has the permissions that the app does
   * not get.
   */
  install(name: string, isWanted: boolean, withheld: readonly string[]): void;
}

/**
 * Returns the repository of a path to itself, a branch or a permission; null for any other path.
 */
export function parseRepositoryPath(path: string): string | null {
  return repositoryPath.exec(path)?.[1] ?? null;
}

/** Handles a call on a repository that exists. Changes need full access. */
export async function handleRepositoryCall(
  name: string,
  codeHost: RepositoryParts,
  {
    method,
    path,
    body,
    query,
    mayChange,
  }: {
    method: string;
    path: string;
    body: Record<string, unknown>;
    query: URLSearchParams;
    mayChange: boolean;
  },
): Promise<ApiAnswer> {
  const [, , named, of = "", , own] = repositoryPath.exec(path) ?? [];
  const part = named ?? own;
  const wire = async (called: string) => ({
    id: codeHost.getId(called),
    full_name: called,
    default_branch: await codeHost.open(called).defaultBranch(),
  });
  switch (`${method} ${part ?? ""}`) {
    case "GET ":
      return { status: 200, body: await wire(name) };
    case "GET branches": {
      if (named === undefined) {
        const heads = [...(await codeHost.open(name).heads())];
        return { status: 200, body: getPage(heads, query).map(([head, sha]) => ({ name: head, commit: { sha } })) };
      }
      const branch = decodeURIComponent(of);
      const sha = (await codeHost.open(name).heads()).get(branch);
      return sha === undefined ? notFound : { status: 200, body: { name: branch, commit: { sha } } };
    }
    case "GET collaborators": {
      const person = findPerson(decodeURIComponent(of));
      if (!person) return notFound;
      return {
        status: 200,
        body: { permission: codeHost.findPermission(name, person.login), user: toWirePerson(person) },
      };
    }
    case "PUT collaborators":
    case "DELETE collaborators": {
      const person = findPerson(decodeURIComponent(of));
      if (!person || !mayChange) return notFound;
      codeHost.allow(name, person.login, method === "DELETE" ? "none" : body.permission === "pull" ? "read" : "write");
      return { status: 204, body: null };
    }
    case "PUT installation":
    case "DELETE installation":
      if (!mayChange) return notFound;
      codeHost.install(name, method === "PUT", Array.isArray(body.withheld) ? body.withheld : []);
      return { status: 204, body: null };
    case "PATCH ": {
      const to = `${name.split("/")[0]}/${body.name}`;
      if (!mayChange) return notFound;
      return (await codeHost.rename(name, to))
        ? { status: 200, body: await wire(to) }
        : unprocessable("The name is taken, or is none.");
    }
    case "DELETE ":
      if (!mayChange) return notFound;
      await codeHost.remove(name);
      return { status: 204, body: null };
    default:
      return notFound;
  }
}
