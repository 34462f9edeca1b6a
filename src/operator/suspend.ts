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
/** How often it looks for work that runs, and the pause between. */
const looks = 5;
const pauseMs = 500;

/** Suspends somebody. Returns how much work was stopped. Safe to repeat. */
export async function startSuspension(env: Env, who: Suspended, now: number): Promise<number> {
  // First, so that nothing starts meanwhile.
  await saveSuspension(env.DB, who, now);
  await endStreamsOf(env, who);
  const stopped = new Set<string>();
  // The rows of what starts at this moment, and of what has just stopped, are written later.
  for (let look = 1; look <= looks; look += 1) {
    const work = await listWork(env, who);
    if (work.length === 0) break;
    await runInLanes(
      work,
      lanes,
      async (one) => {
        await stop(env, one);
        stopped.add(`${one.type} ${one.id}`);
      },
      ({ type, id }, error) => log.warn("suspension.stop_failed", { work: type, id, error }),
    );
    if (look < looks) await scheduler.wait(pauseMs);
  }
  return stopped.size;
}

const listWork = (env: Env, { type, id }: Suspended) =>
  type === "workspace" ? listWorkOfWorkspace(env.DB, id) : listWorkOfPerson(env.DB, id);

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
