// Suspends a workspace or a person, and lets them continue. Nothing is deleted. What runs is
// stopped, as a member's stop does.
import {
  getCronRunObject,
  getProjectObject,
  getSandboxObject,
  getSessionObject,
} from "../../durable-objects/address.ts";
import { service } from "../access/rules/actor.ts";
import type { Env } from "../env.ts";
import { runInLanes } from "../lib/concurrency.ts";
import { log } from "../lib/log.ts";
import { noSpend } from "../usage/rules/spend-limit.ts";
import { endStreams } from "../workspace/end-streams.ts";
import { listWorkspaces } from "../workspace/queries/workspaces.ts";
import { listWorkOfPerson, listWorkOfWorkspace, type Suspended, saveSuspension, type Work } from "./queries.ts";

const lanes = 10;

/** Suspends somebody. Returns how much work was stopped. Safe to repeat. */
export async function startSuspension(env: Env, who: Suspended, now: number): Promise<number> {
  // First, so that nothing starts meanwhile.
  await saveSuspension(env.DB, who, now);
  const work = await (who.type === "workspace"
    ? listWorkOfWorkspace(env.DB, who.id)
    : listWorkOfPerson(env.DB, who.id));
  await endStreamsOf(env, who);
  let stopped = 0;
  await runInLanes(
    work,
    lanes,
    async (one) => {
      await stop(env, one);
      stopped += 1;
    },
    ({ type, id }, error) => log.warn("suspension.stop_failed", { work: type, id, error }),
  );
  return stopped;
}

/** A stream that is open would otherwise be read until its next check. */
async function endStreamsOf(env: Env, { type, id }: Suspended): Promise<void> {
  if (type === "workspace") return endStreams(env, id, "all");
  for (const workspace of await listWorkspaces(env.DB, id)) endStreams(env, workspace.id, { userId: id });
}

/** Ends a suspension. What was stopped stays stopped, until somebody starts it. */
export async function endSuspension(env: Env, who: Suspended): Promise<void> {
  await saveSuspension(env.DB, who, null);
}

async function stop(env: Env, work: Work): Promise<void> {
  switch (work.type) {
    case "session":
      await getSessionObject(env, work.id).stopSandbox(service);
      return;
    case "deploy": {
      const { id: projectId, workspaceId, mainSandboxKey, isLive } = work;
      const nothing = { runnable: new Set<never>(), isBlockedOnBilling: true, workspaceSpend: noSpend };
      await getProjectObject(env, projectId).cancel(
        { projectId, workspaceId, mainSandboxKey, isLive, ...nothing },
        service,
      );
      return;
    }
    case "cron-run":
      await getCronRunObject(env, work.id).stop({
        ...{ status: "cancelled", error: null, errorCode: null, source: null, by: null },
      });
      return;
    case "sandbox":
      await getSandboxObject(env, work.id).stopGracefully();
  }
}
