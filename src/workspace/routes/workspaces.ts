// Workspaces: the caller's list, and creating, reading and changing one.
import * as z from "zod";
import type { Sender } from "../../access/rules/actor.ts";
import type { Role } from "../../access/rules/membership.ts";
import { endpoint } from "../../http/endpoint.ts";
import { created, noContent, ok, unchanged } from "../../http/response.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { spendLimitField } from "../../session/routes/fields.ts";
import { checkLimitChange } from "../../session/rules/spend-limit.ts";
import { createWorkspace } from "../create.ts";
import { deleteWorkspace } from "../delete.ts";
import { listWorkspaces } from "../queries/workspaces.ts";
import { updateWorkspace } from "../update.ts";
import {
  toWireWorkspace,
  toWireWorkspaceItem,
  workspaceItemSchema,
  workspaceName,
  workspaceSchema,
  workspaceSlug,
} from "../wire.ts";

const path = "/api/organizations";
const tag = "Workspaces";

const list = endpoint({
  method: "GET",
  path,
  operation: "listWorkspaces",
  summary: "List the workspaces you belong to. An agent sees only the workspace of its session.",
  tag,
  access: "workspace.list",
  noun: "none",
  response: { status: 200, data: z.array(workspaceItemSchema) },
  async handle({ env, caller }) {
    const workspaces = caller.user ? await listWorkspaces(env.DB, caller.user.id, caller.workspaceId) : [];
    return ok(workspaces.map(toWireWorkspaceItem));
  },
});

const create = endpoint({
  method: "POST",
  path,
  operation: "createWorkspace",
  audit: { workspaceField: "id" },
  summary: "Create a workspace. Without a slug, one is made of the name.",
  tag,
  access: "workspace.create",
  noun: "none",
  body: {
    schema: z
      .strictObject({ name: workspaceName, slug: workspaceSlug.optional() })
      .meta({ examples: [{ name: "Switchyard Demo", slug: "demo" }] }),
  },
  response: { status: 201, data: workspaceSchema },
  refusals: ["BAD_REQUEST", "CONFLICT"],
  async handle({ env, now, caller, body: { name, slug } }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const workspace = await createWorkspace(env, { name, slug, ownerId: caller.user.id }, now);
    return isRefusal(workspace) ? workspace : created(toWireWorkspace(workspace, "owner"));
  },
});

const read = endpoint({
  method: "GET",
  path: `${path}/{workspaceId}`,
  operation: "readWorkspace",
  summary: "Read a workspace.",
  tag,
  access: "workspace.read",
  noun: "workspace",
  with: ["workspaceRecord"],
  response: { status: 200, data: workspaceSchema },
  async handle({ found: { workspace, workspaceRecord }, caller }) {
    return ok(toWireWorkspace({ ...workspace, ...workspaceRecord }, findRole(caller.actor)));
  },
});

const change = endpoint({
  method: "PATCH",
  path: `${path}/{workspaceId}`,
  operation: "changeWorkspace",
  summary: "Change a workspace's settings. Owner and admins.",
  tag,
  access: "workspace.change",
  noun: "workspace",
  body: {
    schema: z
      .strictObject({
        name: workspaceName.optional(),
        slug: workspaceSlug.optional(),
        defaultModel: z.string().nullable().optional().describe("A model id; null for none."),
        spendLimitUsd: spendLimitField.optional(),
        generatedTitles: z.boolean().optional().describe("True if a model writes the titles of sessions."),
      })
      .meta({ examples: [{ name: "Switchyard Demo", defaultModel: "anthropic:opus__high" }] }),
  },
  response: { status: 200, data: workspaceSchema },
  refusals: ["CONFLICT"],
  async handle({ env, found, caller, body }) {
    const limitRefusal = body.spendLimitUsd === undefined ? null : checkLimitChange(caller.facts);
    if (limitRefusal) return limitRefusal;
    const workspace = await updateWorkspace(env, found.workspace.id, body);
    if (isRefusal(workspace)) return workspace;
    const answer = ok(toWireWorkspace(workspace, findRole(caller.actor)));
    return Object.keys(body).length === 0 ? unchanged(answer) : answer;
  },
});

const setTimezone = endpoint({
  method: "PUT",
  path: `${path}/{workspaceId}/timezone`,
  operation: "setWorkspaceTimezone",
  summary: "Set the timezone that a workspace's crons follow. Owner and admins.",
  tag,
  access: "workspace.change",
  noun: "workspace",
  body: {
    schema: z
      .strictObject({ timezone: z.string().max(100).describe("The name of a timezone.") })
      .meta({ examples: [{ timezone: "Europe/Berlin" }] }),
  },
  response: { status: 200, data: workspaceSchema },
  async handle({ env, found, caller, body: { timezone } }) {
    const workspace = await updateWorkspace(env, found.workspace.id, { timezone });
    return isRefusal(workspace) ? workspace : ok(toWireWorkspace(workspace, findRole(caller.actor)));
  },
});

const remove = endpoint({
  method: "DELETE",
  path: `${path}/{workspaceId}`,
  operation: "deleteWorkspace",
  summary:
    "Delete a workspace with its projects and sessions. It disappears immediately for everybody, and cannot be restored. Only the owner.",
  tag,
  access: "workspace.delete",
  noun: "workspace",
  body: {
    schema: z
      .strictObject({ name: z.string().describe("The workspace's name, as a confirmation.") })
      .meta({ examples: [{ name: "Switchyard Demo" }] }),
  },
  response: { status: 204 },
  async handle({ env, now, found, caller, body: { name } }) {
    const refusal = await deleteWorkspace(env, { id: found.workspace.id, name, by: caller.actor }, now);
    return refusal ?? noContent;
  },
});

function findRole(actor: Sender): Role | null {
  return "role" in actor ? actor.role : null;
}

export const workspaceRoutes = [list, create, read, change, setTimezone, remove];
