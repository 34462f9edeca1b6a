// The session's branch beside its Target Branch, as the code host has both.
import { codeHost } from "../src/code-host/code-host.ts";
import { noteBehind } from "../src/rules/pull-request-news.ts";
import { isRefusal } from "../src/rules/refusal.ts";
import { findProject } from "../src/storage/queries/projects.ts";
import type { SessionDesk } from "./session-desk.ts";

/** Finds out whether the branch is behind. Throws when the code host does not answer. */
export async function compareBranch({ env, store, decide }: SessionDesk): Promise<void> {
  const { session } = store.find() ?? {};
  if (!session || session.branch === null) return;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return;
  const compared = await codeHost(env).compareBranches(project.repository, session.targetBranch, session.branch);
  if (!isRefusal(compared)) return void decide((state, now) => noteBehind(state, compared.behindBy > 0, now));
  // A branch that nobody has pushed yet, or that is gone.
  if (compared.refused !== "NOT_FOUND") throw new Error(compared.message);
}
