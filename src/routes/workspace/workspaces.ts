// The workspaces that the caller is a member of.
import * as z from "zod";
import { ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { workspaceItemOnWire, workspaceItemSchema } from "../../resources/workspace.ts";
import { workspacesOf } from "../../storage/queries/workspaces.ts";

const list = endpoint({
  method: "GET",
  path: "/api/organizations",
  operation: "listWorkspaces",
  summary: "List the workspaces you belong to.",
  tag: "Workspaces",
  access: "workspace.list",
  noun: "none",
  answers: { status: 200, data: z.array(workspaceItemSchema) },
  async handle({ env, caller }) {
    const workspaces = caller.user ? await workspacesOf(env.DB, caller.user.id) : [];
    return ok(workspaces.map(workspaceItemOnWire));
  },
});

export const workspaceRoutes = [list];
