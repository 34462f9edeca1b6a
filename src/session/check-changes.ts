// Checks a Target Branch that a request names: if the branch did not exist, the first turn would
// fail.
import { createCodeHost } from "../code-host/code-host.ts";
import type { Env } from "../env.ts";
import { findProject } from "../project/queries.ts";
import { refuseBranch } from "../project/rules/repository.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { findMember } from "../workspace/queries/members.ts";
import type { Assignee } from "./rules/session.ts";

/** The longest time that a request waits for the code host. */
const answerWaitMs = 3_000;

/**
 * Refuses a branch that the code host reports missing. If the code host does not respond, the
 * branch is accepted.
 */
export async function checkTargetBranch(env: Env, projectId: string, branch: string): Promise<Refusal | null> {
  const project = await findProject(env.DB, projectId);
  if (!project) return refuse("NOT_FOUND", "There is no such project.");
  const { repository } = project;
  const asked = createCodeHost(env, project).compareBranches(repository, branch, branch);
  const compared = await Promise.race([asked, scheduler.wait(answerWaitMs)]);
  if (!isRefusal(compared) || compared.code !== "NOT_FOUND") return null;
  return refuseBranch(repository, branch);
}

/**
 * The member whom a request names as Assignee by a user id. Returns null for an unassigned session,
 * and undefined for a request without an Assignee. BAD_REQUEST for a user who is not a member.
 */
export async function findAssignee(
  env: Env,
  workspaceId: string,
  userId: string | null | undefined,
): Promise<Assignee | null | undefined | Refusal> {
  if (userId === null || userId === undefined) return userId;
  const member = await findMember(env.DB, workspaceId, userId);
  if (member) return { kind: "member", userId, name: member.name, imageUrl: member.imageUrl };
  return refuse("BAD_REQUEST", "assigneeId is not a member of this workspace. Use the id of one of its members.");
}
