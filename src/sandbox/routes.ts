// The sandboxes of a workspace: its plan's limit, the running ones, and stopping some of them.
import * as z from "zod";
import { getSessionObject } from "../../durable-objects/address.ts";
import type { Actor } from "../access/rules/actor.ts";
import type { Env } from "../env.ts";
import { endpoint } from "../http/endpoint.ts";
import { ok } from "../http/response.ts";
import { log } from "../lib/log.ts";
import { exampleIds } from "../lib/wire.ts";
import { sessionsPerStopSandboxes } from "../rules/limits.ts";
import { plans } from "../workspace/rules/billing-plan.ts";
import { countOfOwner, listRunningSessions, listSessionsWithSlot } from "./queries/slots.ts";
import { sandboxLimitSchema, stoppedSandboxesSchema } from "./wire.ts";

const path = "/api/organizations/{workspaceId}";
const tag = "Workspaces";

const stopBody = z
  .strictObject({ sessionIds: z.array(z.string()).max(sessionsPerStopSandboxes).describe("The ids of the sessions.") })
  .meta({ examples: [{ sessionIds: [exampleIds.session] }] });

const limit = endpoint({
  method: "GET",
  path: `${path}/sandbox-limit`,
  operation: "readSandboxLimit",
  summary: "Return the limit of running sandboxes, and which run.",
  tag,
  access: "sandbox.read",
  noun: "workspace",
  response: { status: 200, data: sandboxLimitSchema },
  async handle({ env, found: { workspace } }) {
    const { maxConcurrentSandboxes, maxSandboxesOfOwner } = plans[workspace.plan];
    const [running, sandboxesOfOwner] = await Promise.all([
      listRunningSessions(env.DB, workspace.id),
      maxSandboxesOfOwner === null ? null : countOfOwner(env.DB, workspace.id),
    ]);
    return ok({ maxConcurrentSandboxes, runningSessions: running, maxSandboxesOfOwner, sandboxesOfOwner });
  },
});

const stop = endpoint({
  method: "POST",
  path: `${path}/stop-sandboxes`,
  operation: "stopSandboxes",
  summary: "Pause the sandboxes of sessions. A turn that runs in one is stopped first, as a cancel does.",
  tag,
  access: "sandbox.stop",
  noun: "workspace",
  body: { schema: stopBody },
  response: { status: 200, data: stoppedSandboxesSchema },
  async handle({ env, caller, found, body }) {
    const sessionIds = [...new Set(body.sessionIds)];
    return ok({ sessions: await stopSandboxes(env, found.workspace.id, { sessionIds, by: caller.actor }) });
  },
});

export const workspaceSandboxRoutes = [limit, stop];

export interface StoppedSandbox {
  sessionId: string;
  stopped: boolean;
}

/**
 * Stops the sandboxes of those sessions that hold a slot of the workspace, so that others can start
 * at the plan's limit. Returns for each given session whether it was stopped.
 */
async function stopSandboxes(
  env: Env,
  workspaceId: string,
  { sessionIds, by }: { sessionIds: string[]; by: Actor },
): Promise<StoppedSandbox[]> {
  const holders = await listSessionsWithSlot(env.DB, workspaceId, sessionIds);
  const outcomes = await Promise.all(holders.map(async (id) => ((await isStopped(env, id, by)) ? [id] : [])));
  const stopped = new Set(outcomes.flat());
  return sessionIds.map((sessionId) => ({ sessionId, stopped: stopped.has(sessionId) }));
}

/**
 * A stop that throws is logged and reported as not stopped, so that the others still get a result.
 */
async function isStopped(env: Env, sessionId: string, by: Actor): Promise<boolean> {
  try {
    return await getSessionObject(env, sessionId).stopSandbox(by);
  } catch (error) {
    log.warn("sandbox.stop_failed", { sessionId, error });
    return false;
  }
}
