// A Target Branch that somebody names: it has to be there, or the first turn would fail for want of it.
import { codeHost } from "../code-host/code-host.ts";
import type { Env } from "../env.ts";
import { findProject } from "../project/queries.ts";
import { noSuchBranch } from "../project/rules/repository.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";

/** Nobody who names a branch is kept waiting longer for the code host. */
const answerWaitMs = 3_000;

/** Refuses a branch that the code host says is not there. One that does not answer says nothing about its branches. */
export async function checkTargetBranch(env: Env, projectId: string, branch: string): Promise<Refusal | null> {
  const project = await findProject(env.DB, projectId);
  if (!project) return refuse("NOT_FOUND", "There is no such project.");
  const { repository } = project;
  const asked = codeHost(env, project).compareBranches(repository, branch, branch);
  const compared = await Promise.race([asked, scheduler.wait(answerWaitMs)]);
  if (!isRefusal(compared) || compared.code !== "NOT_FOUND") return null;
  return noSuchBranch(repository, branch);
}
