// Reads the checks of the session's pull request on the code host. Webhooks tell of one check each; only the code host knows when all have ended.
// It is read once for a burst of them.

import { service } from "../../../src/access/rules/actor.ts";
import { codeHost } from "../../../src/code-host/code-host.ts";
import { findProject } from "../../../src/project/queries.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { noteVerdict } from "../../../src/session/rules/pull-request/code-host-event.ts";
import type { SessionContext } from "../context.ts";

/** Webhooks that come within this are one burst. */
const burstMs = 300;

/** What each object had been told when it last read. */
const toldAtReading = new WeakMap<SessionContext, string>();

/** Notes the verdict on the newest commit. Throws when the code host does not answer. */
export async function readChecks(context: SessionContext): Promise<void> {
  const { env, store, decide } = context;
  await scheduler.wait(burstMs);
  const { session } = store.find() ?? {};
  const sha = session?.prReport?.sha;
  const told = JSON.stringify({ ...session?.prReport, verdict: undefined });
  // The rest of a burst asks again for what has been read.
  if (toldAtReading.get(context) === told) return;
  const project = session && (await findProject(env.DB, session.projectId));
  if (!project || sha === undefined) return;
  const checks = await codeHost(env, project).readChecks(project.repository, sha);
  if (isRefusal(checks)) {
    if (checks.code === "SERVICE_UNAVAILABLE") throw new Error(checks.message);
    return;
  }
  toldAtReading.set(context, told);
  const { state: verdict } = checks;
  if (verdict === "passed" || verdict === "failed") decide(service, (state) => noteVerdict(state, { sha, verdict }));
}
