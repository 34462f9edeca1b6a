// Plans the sync of a session's branch: which branch to merge, and what the sandbox does
// afterwards.
import { getSandboxObject, getSessionObject } from "../../durable-objects/address.ts";
import { hasAutomaticCommits } from "../account/queries.ts";
import { createCodeHost } from "../code-host/code-host.ts";
import type { Env } from "../env.ts";
import { findProject, type Project } from "../project/queries.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import type { TurnToken } from "../sandbox/token.ts";
import { isOpenPullRequest } from "../session/rules/pull-request/pull-request.ts";
import type { Session } from "../session/rules/session.ts";
import type { BranchSyncPlan } from "./rules/sync.ts";

const deleted = refuse("NOT_FOUND", "The project has been deleted.");

/**
 * Plans the sync of a turn. NOT_FOUND if the project has been deleted. Returns the code host's
 * refusal if the base cannot be read.
 */
export async function planBranchSync(
  env: Env,
  { owner, sandboxKey, turnId }: Pick<TurnToken, "owner" | "sandboxKey" | "turnId">,
): Promise<BranchSyncPlan | Refusal> {
  const object = getSessionObject(env, owner.id);
  const [state, turn] = await Promise.all([object.read(), object.turn(turnId)]);
  if (isRefusal(state)) return state;
  const project = await findProject(env.DB, state.session.projectId);
  if (!project) return deleted;
  const base = await findBase(env, project, state.session);
  if (typeof base !== "string") return base;
  // The project's settings may be newer. They take effect at the next start or reset.
  const settings = await getSandboxObject(env, sandboxKey).findSettings(project.id);
  if (settings === null) return deleted;
  const { setup, services, env: variables } = settings;
  const { assignee } = state.session;
  const user = turn?.sender.kind === "member" ? turn.sender : assignee?.kind === "member" ? assignee : null;
  const pushes = await hasAutomaticCommits(env.DB, user?.userId ?? null);
  return { base, pushes, setup, services, env: variables };
}

/**
 * The base of the open pull request, or the Target Branch if there is none (Part 1, "Skill
 * messages").
 */
async function findBase(env: Env, project: Project, session: Session): Promise<string | Refusal> {
  const { prNumber, prState, targetBranch } = session;
  if (prNumber === null || !isOpenPullRequest(prState)) return targetBranch;
  const found = await createCodeHost(env, project).readPullRequest(project.repository, prNumber);
  return isRefusal(found) ? found : found.base;
}
