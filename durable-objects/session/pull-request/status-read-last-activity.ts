// Asks the code host when something last happened on the session's pull request.

import { service } from "../../../src/access/rules/actor.ts";
import { codeHost } from "../../../src/code-host/code-host.ts";
import { findProject } from "../../../src/project/queries.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { noteLastActivity } from "../../../src/session/rules/pull-request/stale.ts";
import type { SessionContext } from "../context.ts";

/** Notes what it answers. One that does not answer is asked again later. */
export async function readLastActivity({ env, store, decide }: SessionContext): Promise<void> {
  const { session } = store.find() ?? {};
  if (!session || session.prNumber === null) return;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return;
  const found = await codeHost(env, project).readPullRequest(project.repository, session.prNumber);
  decide(service, (state, now) => noteLastActivity(state, isRefusal(found) ? null : found, now));
}
