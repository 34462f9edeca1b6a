// Reads the checks of the session's pull request on the code host. Webhooks tell of one check each; only the code host knows when all have ended.
import { codeHost } from "../../../src/code-host/code-host.ts";
import { service } from "../../../src/rules/access/actor.ts";
import { noteVerdict } from "../../../src/rules/pull-request/code-host-event.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { findProject } from "../../../src/storage/queries/projects.ts";
import type { SessionContext } from "../context.ts";

/** Notes the verdict on the newest commit. Throws when the code host does not answer. */
export async function readChecks({ env, store, decide }: SessionContext): Promise<void> {
  const { session } = store.find() ?? {};
  const sha = session?.prReport?.sha;
  const project = session && (await findProject(env.DB, session.projectId));
  if (!project || sha === undefined) return;
  const checks = await codeHost(env, project).readChecks(project.repository, sha);
  if (isRefusal(checks)) {
    if (checks.code === "SERVICE_UNAVAILABLE") throw new Error(checks.message);
    return;
  }
  const { state: verdict } = checks;
  if (verdict === "passed" || verdict === "failed") decide(service, (state) => noteVerdict(state, { sha, verdict }));
}
