// A project of a repository at the code host, with the people whose events triggers judge.
import { env } from "cloudflare:workers";
import { createId } from "../../../src/lib/ids.ts";
import { plans } from "../../../src/workspace/rules/billing-plan.ts";
import { addUser, addWorkspaceWith } from "./people.ts";

export const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

let repositoryId = 7_000;

/** Adds a project without sessions, and returns its id and that of its repository. */
export async function addProject(workspaceId: string): Promise<{ projectId: string; repositoryId: number }> {
  const projectId = createId();
  repositoryId += 1;
  await run(
    `INSERT INTO projects (id, workspace_id, name, repository, repository_id, target_branch, deploy_status, settings, main_sandbox_key,
       created_at, updated_at) VALUES (?1, ?2, 'P', ?3, ?4, 'main', 'deployed', '{}', ?1, 0, 0)`,
    ...[projectId, workspaceId, `acme/${projectId}`, repositoryId],
  );
  return { projectId, repositoryId };
}

export type Person = "mia" | "rhea" | "sue" | "former" | "elsewhere";

export interface RepositoryWorld {
  workspaceId: string;
  projectId: string;
  repositoryId: number;
  /**
   * Their ids, which are also their logins and ids at the code host. Mia owns the workspace, Rhea
   * is a member who may only read the repository, and Sue a suspended member.
   */
  people: Record<Person, string>;
  /** The permission at the code host of each account, by its login. */
  permissions: Record<string, string>;
}

/** Adds the project with its people. `removePeople` ends what they connected. */
export async function addRepositoryWorld(): Promise<RepositoryWorld> {
  const own = await addWorkspaceWith({ mia: "owner", rhea: "member", sue: "member" });
  const other = await addWorkspaceWith({ elsewhere: "owner" });
  const people = { ...own.users, ...other.users, former: await addUser("former") };
  const permissions: Record<string, string> = Object.fromEntries(Object.values(people).map((id) => [id, "write"]));
  permissions[people.rhea] = "read";
  for (const id of Object.values(people))
    await run(
      `INSERT INTO code_host_identities (user_id, host_user_id, login, name, email, sealed, created_at)
       VALUES (?1, ?1, ?1, ?1, ?1, '', 0)`,
      id,
    );
  await run("UPDATE users SET suspended_at = 1 WHERE id = ?1", people.sue);
  return { workspaceId: own.workspaceId, ...(await addProject(own.workspaceId)), people, permissions };
}

/** Has a workspace run as many sandboxes as its plan allows. Returns what ends them. */
export async function fillSandboxes(workspaceId: string): Promise<() => Promise<unknown>> {
  await run("UPDATE workspaces SET plan = 'free' WHERE id = ?1", workspaceId);
  const keys = Array.from({ length: plans.free.maxConcurrentSandboxes ?? 0 }, () => createId());
  for (const key of keys)
    await run(
      `INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at)
       VALUES (?1, ?2, 'session', ?1, 'running', ?3)`,
      ...[key, workspaceId, Date.now()],
    );
  const end = (key: string) => run("DELETE FROM sandbox_slots WHERE sandbox_key = ?1", key);
  return () => Promise.all(keys.map(end));
}

/** Gives a workspace the login of a provider. */
export const addProvider = (workspaceId: string) =>
  run(
    `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, label, authenticated_at)
     VALUES (?1, 'workspace', ?2, 'anthropic', 0, 'key', '', '0000', 0)`,
    ...[createId(), workspaceId],
  );

/** Removes it: nothing can unseal it, which a sweep of another test would log. */
export const removeProvider = (workspaceId: string) =>
  run("DELETE FROM provider_logins WHERE owner_id = ?1", workspaceId);

/** Removes the accounts: nothing can unseal them, which a sweep of another test would log. */
export const removePeople = () => run("DELETE FROM code_host_identities WHERE sealed = ''");

/** The answer of the code host about an account; null to a request about anything else. */
export function answerPermission(url: string, permissions: Record<string, string>): Response | null {
  const [, login = ""] = /collaborators\/([^/]+)\/permission/.exec(url) ?? [];
  if (login === "") return null;
  const permission = permissions[login];
  if (permission === "down") return new Response("{}", { status: 503 });
  if (permission === undefined) return new Response("{}", { status: 404 });
  return Response.json({ permission, user: { id: login, login } });
}
