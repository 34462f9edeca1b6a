// Changes to a session: its fields and status, its deletion, and the runtime commands of its agent.
import * as z from "zod";
import { getSessionObject } from "../../../durable-objects/address.ts";
import { checkAssignment } from "../../access/rules/caller.ts";
import { messageContent } from "../../chat/wire/queue.ts";
import { endpoint } from "../../http/endpoint.ts";
import { accepted, noContent, ok } from "../../http/response.ts";
import { findMemberModels } from "../../provider-login/queries/subscriptions.ts";
import { messageContentCharacters } from "../../rules/limits.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { checkTargetBranch, findAssignee } from "../check-changes.ts";
import { checkLoss } from "../check-loss.ts";
import { deleteSession } from "../delete.ts";
import { getModelFacts, getSessionParties } from "../facts.ts";
import { checkEdit } from "../rules/cron-run-rights.ts";
import { checkLimitChange } from "../rules/spend-limit.ts";
import { isEnded } from "../rules/status.ts";
import { prioritySchema, runtimeCommandSchema, sessionSchema, sessionStatusSchema, toWireSession } from "../wire.ts";
import { branchField, spendLimitField, titleField } from "./fields.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}";
const tag = "Chat sessions";

const updateBody = z
  .strictObject({
    title: titleField.optional(),
    prompt: messageContent.nullable().optional().describe("What a Backlog session is about."),
    priority: prioritySchema.optional().describe("How urgent the session is."),
    assigneeId: z.string().nullable().optional().describe("The user id of a member; null for nobody."),
    status: sessionStatusSchema.optional().describe("The new status of the session."),
    model: z.string().optional().describe("The model id for the turns to come."),
    targetBranch: branchField.optional(),
    spendLimitUsd: spendLimitField.optional(),
    metadata: z.record(z.string(), z.string().nullable()).optional().describe("Values by keys; null deletes a key."),
    ifClean: z
      .literal(true)
      .optional()
      .describe("With `status` completed or archived: 409 CONFLICT if work would be lost. `details` has the work."),
  })
  .meta({ examples: [{ title: "Sort departures by time", priority: "high" }] });

const update = endpoint({
  method: "PUT",
  path,
  operation: "updateSession",
  summary: "Change a session.",
  tag,
  access: "session.update",
  noun: "session",
  with: ["callerModels", "assigneeModels"],
  body: { schema: updateBody },
  response: { status: 200, data: z.object({ session: sessionSchema }) },
  refusals: ["BAD_REQUEST", "JOB_ACTIVE", "SESSION_UPDATING", "COMMAND_IN_FLIGHT", "CONFLICT", "SERVICE_UNAVAILABLE"],
  async handle({ env, caller, found, body }) {
    const { assigneeId, ifClean, ...changes } = body;
    const fields = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const { status, filedCronId } = found.session;
    const isFiledByOwnCron = caller.actor.type === "cron-run" && caller.actor.cronId === filedCronId;
    const forbidden =
      checkEdit(caller.facts, { fields, status, isFiledByOwnCron }) ?? checkAssignment(caller, assigneeId);
    if (forbidden) return forbidden;
    const limitRefusal = changes.spendLimitUsd === undefined ? null : checkLimitChange(caller.facts);
    if (limitRefusal) return limitRefusal;
    const assignee = await findAssignee(env, found.workspace.id, assigneeId);
    if (isRefusal(assignee)) return assignee;
    const { targetBranch = found.session.targetBranch } = changes;
    const isNew = targetBranch !== found.session.targetBranch;
    const absent = isNew ? await checkTargetBranch(env, found.project.id, targetBranch) : null;
    if (absent) return absent;
    if (ifClean && changes.status !== undefined && isEnded(changes.status)) {
      const lost = await checkLoss(env, found.session);
      if (lost) return lost;
    }
    const { workspace, session, callerModels, assigneeModels } = found;
    const isOther = assignee?.kind === "member" && assignee.userId !== session.assigneeId;
    const newAssigneeModels = isOther ? await findMemberModels(env.DB, workspace.id, assignee.userId) : assigneeModels;
    const parties = { ...getSessionParties(session), ...(assignee !== undefined && { assignee }) };
    const models = getModelFacts(workspace, parties, caller.actor, [newAssigneeModels, callerModels]);
    const state = await getSessionObject(env, found.session.id).update({ ...changes, assignee }, caller.actor, models);
    return isRefusal(state) ? state : ok({ session: toWireSession(state, env.PUBLIC_URL) });
  },
});

const remove = endpoint({
  method: "DELETE",
  path,
  operation: "deleteSession",
  summary: "Delete a session with its sandbox and artifacts.",
  tag,
  access: "session.delete",
  noun: "session",
  response: { status: 204 },
  refusals: ["SESSION_UPDATING"],
  async handle({ env, caller, found }) {
    return (await deleteSession(env, found.session.id, caller.actor)) ?? noContent;
  },
});

const commandBody = z
  .strictObject({
    command: runtimeCommandSchema.describe("The command."),
    instructions: z
      .string()
      .max(messageContentCharacters)
      .nullable()
      .default(null)
      .describe("What the summary of `/compact` should keep."),
  })
  .meta({ examples: [{ command: "/compact", instructions: "Keep the names of the files." }] });

const commandAnswer = z.object({
  command: runtimeCommandSchema.describe("The command."),
  status: z.literal("running").describe("Always `running`; read the session to see it end."),
});

const runCommand = endpoint({
  method: "POST",
  path: `${path}/runtime-commands`,
  operation: "runRuntimeCommand",
  summary: "Run a command of the agent.",
  tag,
  access: "runtime-command.run",
  noun: "session",
  with: ["slot"],
  body: { schema: commandBody },
  isRepeatable: true,
  response: { status: 202, data: commandAnswer },
  refusals: ["BAD_REQUEST", "JOB_ACTIVE", "DEPLOY_ACTIVE", "COMMAND_IN_FLIGHT", "SESSION_UPDATING"],
  async handle({ env, caller, found, body, idempotency }) {
    const order = { ...body, by: caller.actor, sandbox: found.slot, isHeldByDeploy: found.project.holdsSessionsUp };
    const run = await getSessionObject(env, found.session.id).runCommand(order, idempotency);
    return isRefusal(run) ? run : accepted({ command: body.command, status: "running" });
  },
});

export const sessionChangeRoutes = [update, remove, runCommand];
