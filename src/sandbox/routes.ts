// The sandboxes of a workspace: the limit of its plan, those that are running, and stopping some of them.
import * as z from "zod";
import { ok } from "../http/answer.ts";
import { endpoint } from "../http/endpoint.ts";
import { exampleIds } from "../resources/example-values.ts";
import { sessionsPerStopSandboxes } from "../rules/limits.ts";
import { plans } from "../workspace/rules/billing-plan.ts";
import { countOfOwner, runningSessions } from "./queries/slots.ts";
import { stopSandboxes } from "./routes-stop.ts";
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
  summary: "Tell how many sandboxes of sessions the workspace may run at once, and which run.",
  tag,
  access: "sandbox.read",
  noun: "workspace",
  answers: { status: 200, data: sandboxLimitSchema },
  async handle({ env, found: { workspace } }) {
    const { maxConcurrentSandboxes, maxSandboxesOfOwner } = plans[workspace.plan];
    const [running, sandboxesOfOwner] = await Promise.all([
      runningSessions(env.DB, workspace.id),
      maxSandboxesOfOwner === null ? null : countOfOwner(env.DB, workspace.id),
    ]);
    return ok({ maxConcurrentSandboxes, runningSessions: running, maxSandboxesOfOwner, sandboxesOfOwner });
  },
});

const stop = endpoint({
  method: "POST",
  path: `${path}/stop-sandboxes`,
  operation: "stopSandboxes",
  summary:
    "Pause the sandboxes of sessions; they keep their work. A turn that runs in one is stopped first, as a cancel does.",
  tag,
  access: "sandbox.stop",
  noun: "workspace",
  body: { schema: stopBody },
  answers: { status: 200, data: stoppedSandboxesSchema },
  async handle({ env, caller, found, body }) {
    const sessionIds = [...new Set(body.sessionIds)];
    return ok({ sessions: await stopSandboxes(env, found.workspace.id, { sessionIds, by: caller.actor }) });
  },
});

export const workspaceSandboxRoutes = [limit, stop];
