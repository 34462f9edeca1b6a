// Creates a project for a repository that the service can read at the code host and its creator may
// push to.

import { findOwner } from "../access/rules/actor.ts";
import type { Caller } from "../access/rules/caller.ts";
import { checkStanding } from "../access/rules/permission-table.ts";
import { suspendedWorkspace } from "../access/rules/suspension.ts";
import { findIdentity, type IdentityRow } from "../account/queries.ts";
import { createCodeHost, findInstallation, type Repository } from "../code-host/code-host.ts";
import type { Env } from "../env.ts";
import { createName } from "../lib/ids.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { sandboxKeyCharacters } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { createSandboxKey } from "../sandbox/rules/sandbox-key.ts";
import { createIdempotently, findCreated } from "../storage/idempotent-create.ts";
import { publishEvent } from "../workspace/publish-event.ts";
import { findMember } from "../workspace/queries/members.ts";
import { findWorkspace } from "../workspace/queries/workspaces.ts";
import { checkProjects } from "../workspace/rules/workspace.ts";
import { addProject, countProjects, findProject, type Project, toRecord } from "./queries.ts";
import { notConnected, type RepositoryRef, refuseBranch, refusePush, refuseRepositoryTo } from "./rules/repository.ts";
import { sealSettings } from "./settings.ts";

export interface ProjectDraft {
  workspaceId: string;
  name: string;
  /** `owner/name`. */
  repository: string;
  /** If omitted, the repository's default branch. */
  targetBranch: string | undefined;
}

/** Returns the new project, which is bound to the ids of its repository. */
export async function createProject(
  env: Env,
  {
    draft,
    caller,
    repeat = null,
  }: { draft: ProjectDraft; caller: Pick<Caller, "actor" | "workspaceId">; repeat?: Idempotency | null },
  now: number,
): Promise<Project | Refusal> {
  const { workspaceId, name } = draft;
  const user = findOwner(caller.actor);
  if (!user) return refuse("FORBIDDEN");
  const [workspace, member, identity] = await Promise.all([
    findWorkspace(env.DB, workspaceId),
    findMember(env.DB, workspaceId, user.id),
    findIdentity(env.DB, user.id),
  ]);
  if (!workspace) return refuse("NOT_FOUND", "There is no such workspace.");
  if (workspace.suspendedAt !== null && member) return suspendedWorkspace;
  const refusal = checkStanding("project.create", { role: member?.role ?? null, isOwn: true });
  if (refusal) return refusal;
  if (caller.workspaceId !== null && caller.workspaceId !== workspaceId)
    return refuse("FORBIDDEN", "This credential is valid only for its own workspace.");
  const chosen = identity ? await chooseRepository(env, draft, identity) : notConnected;
  if (isRefusal(chosen)) return (await findCreated(env.DB, { repeat, now }, (id) => findProject(env.DB, id))) ?? chosen;
  return await createIdempotently(
    env.DB,
    { repeat, now },
    {
      find: (id) => findProject(env.DB, id),
      create: (id) => storeProject(env, { id, workspaceId, name, ...chosen }, user.id, now),
    },
  );
}

type ChosenRepository = RepositoryRef & Pick<Project, "targetBranch">;

async function storeProject(
  env: Env,
  chosen: Pick<Project, "id" | "workspaceId" | "name"> & ChosenRepository,
  userId: string,
  now: number,
): Promise<Project | Refusal> {
  const { id, workspaceId } = chosen;
  const settings = { setup: [], services: [], env: {} };
  const project: Project = {
    ...chosen,
    deployStatus: "idle",
    isLive: false,
    holdsSessionsUp: false,
    ...(await sealSettings(env.SEALING_KEYS, { id, settings })),
    network: null,
    networkProposal: null,
    mainSandboxKey: createSandboxKey("main", createName(sandboxKeyCharacters)),
    mainSleptAt: 0,
    isMainReclaimed: false,
    createdAt: now,
    updatedAt: now,
  };
  if (await addProject(env.DB, project, userId)) {
    publishEvent(env, workspaceId, { type: "project-changed", project: toRecord(project) });
    return project;
  }
  // A member who is removed while the code host is queried creates nothing.
  const full = checkProjects(await countProjects(env.DB, workspaceId));
  return full ?? refuse("FORBIDDEN", "You are no longer a member of the workspace.");
}

/** Checks the repository, the caller's right to push, and the branch at the code host. */
async function chooseRepository(
  env: Env,
  { repository: named, targetBranch: wanted }: ProjectDraft,
  identity: IdentityRow,
): Promise<ChosenRepository | Refusal> {
  const found = await readRepository(env, named);
  if (isRefusal(found)) return found.code === "NOT_FOUND" ? refuseRepositoryTo(named, identity.login) : found;
  const { repository, repositoryId, installationId, defaultBranch } = found;
  const ref = { repository, repositoryId, installationId };
  const host = createCodeHost(env, ref);
  const targetBranch = wanted ?? defaultBranch;
  const [access, isThere] = await Promise.all([
    host.readAccess(repository, identity),
    host.hasBranch(repository, targetBranch),
  ]);
  if (isRefusal(access)) return access;
  // A user without access to a repository must not find out that it exists.
  if (access === "none") return refuseRepositoryTo(named, identity.login);
  if (access === "read") return refusePush(repository, identity.login);
  if (isRefusal(isThere)) return isThere;
  return isThere ? { ...ref, targetBranch } : refuseBranch(repository, targetBranch);
}

/** NOT_FOUND if it does not exist, or the service's app is not installed. */
async function readRepository(
  env: Env,
  repository: string,
): Promise<(Repository & Pick<RepositoryRef, "installationId">) | Refusal> {
  const ref = { repository, installationId: null, repositoryId: null };
  const [found, byName] = await Promise.all([
    createCodeHost(env, ref).readRepository(repository),
    findInstallation(env, repository),
  ]);
  if (isRefusal(found)) return found;
  // A renamed repository is installed under its current name.
  const isPresentName = found.repository.toLowerCase() === repository.toLowerCase();
  const installation = isPresentName ? byName : await findInstallation(env, found.repository);
  return isRefusal(installation) ? installation : { ...found, installationId: installation?.id ?? null };
}
