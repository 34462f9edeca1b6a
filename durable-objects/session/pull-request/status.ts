// Compares the session's branch with its Target Branch on the code host. If the sandbox reported a commit of the Target Branch, that commit is
// compared too, because it may be newer than what was pushed. No sandbox is called.

import { service } from "../../../src/access/rules/actor.ts";
import { codeHost } from "../../../src/code-host/code-host.ts";
import { findProject } from "../../../src/project/queries.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { noteBehind } from "../../../src/session/rules/pull-request/code-host-event.ts";
import type { SessionContext } from "../context.ts";

/** Finds out whether the branch is behind. Throws when the code host does not answer. */
export async function compareBranch({ env, store, decide }: SessionContext): Promise<void> {
  const { session } = store.find() ?? {};
  if (!session || session.branch === null) return;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return;
  const { targetBranch, targetCommit } = session;
  const behindBy = async (branch: string): Promise<number | null> => {
    const compared = await codeHost(env, project).compareBranches(project.repository, targetBranch, branch);
    if (!isRefusal(compared)) return compared.behindBy;
    // The branch was not pushed yet, or was deleted.
    if (compared.code !== "NOT_FOUND") throw new Error(compared.message);
    return null;
  };
  const hostBehindBy = await behindBy(session.branch);
  const sandboxBehindBy = hostBehindBy === 0 || targetCommit === null ? null : await behindBy(targetCommit);
  decide(service, (state, now) =>
    noteBehind(state, { targetBranch, hostBehindBy, targetCommit, sandboxBehindBy }, now),
  );
}
