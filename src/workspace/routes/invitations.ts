// Invitations: owners and admins list, send and delete those of their workspace, and invited users
// accept them.
import * as z from "zod";
import type { Env } from "../../env.ts";
import { endpoint } from "../../http/endpoint.ts";
import { created, noContent, ok } from "../../http/response.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { acceptInvitation, createInvitationToken, createInvitation as sendInvitation } from "../invitations.ts";
import { publishMembersChanged } from "../publish-event.ts";
import { deleteInvitation, type Invitation, listInvitations } from "../queries/invitations.ts";
import { findWorkspace } from "../queries/workspaces.ts";
import { invitationOver } from "../rules/invitation.ts";
import { grantedRole, invitationSchema, toWireInvitation, toWireWorkspaceItem, workspaceItemSchema } from "../wire.ts";

const path = "/api/organizations/{workspaceId}/invitations";
const tag = "Workspaces";
const emailCharactersMax = 254;

const list = endpoint({
  method: "GET",
  path,
  operation: "listInvitations",
  summary: "List the open invitations of a workspace by address. Owner and admins.",
  tag,
  access: "invitation.manage",
  noun: "workspace",
  response: { status: 200, data: z.array(invitationSchema) },
  async handle({ env, now, found }) {
    const open = await listInvitations(env.DB, found.workspace.id, now);
    return ok(await Promise.all(open.map((invitation) => toWireOpenInvitation(env, invitation))));
  },
});

const invite = endpoint({
  method: "POST",
  path,
  operation: "createInvitation",
  summary:
    "Invite an address for 7 days. You send the `url` yourself. An earlier invitation of it ends. Owner and admins.",
  tag,
  access: "invitation.manage",
  noun: "workspace",
  body: {
    schema: z
      .strictObject({
        email: z.email().max(emailCharactersMax).describe("The address of the person."),
        role: grantedRole,
      })
      .meta({ examples: [{ email: "mia@example.com", role: "member" }] }),
  },
  response: { status: 201, data: invitationSchema },
  refusals: ["BAD_REQUEST", "CONFLICT"],
  async handle({ env, now, found, caller, body }) {
    const command = { ...body, workspaceId: found.workspace.id, by: caller.actor };
    const invitation = await sendInvitation(env, command, now);
    return isRefusal(invitation) ? invitation : created(await toWireOpenInvitation(env, invitation));
  },
});

const remove = endpoint({
  method: "DELETE",
  path: `${path}/{invitationId}`,
  operation: "deleteInvitation",
  summary: "Delete an invitation. Owner and admins.",
  tag,
  access: "invitation.manage",
  noun: "workspace",
  response: { status: 204 },
  async handle({ env, found, params }) {
    const name = { workspaceId: found.workspace.id, id: params.invitationId };
    if (!(await deleteInvitation(env.DB, name))) return refuse("NOT_FOUND", "The workspace has no such invitation.");
    publishMembersChanged(env, name.workspaceId);
    return noContent;
  },
});

const accept = endpoint({
  method: "POST",
  path: "/api/invitations/{token}/accept",
  operation: "acceptInvitation",
  audit: { workspaceField: "id" },
  summary: "Accept an invitation. By the user with the invited address.",
  tag,
  access: "invitation.accept",
  noun: "none",
  response: { status: 200, data: workspaceItemSchema },
  refusals: ["CONFLICT"],
  async handle({ env, now, caller, params }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const workspaceId = await acceptInvitation(env, params.token, caller.user, now);
    if (isRefusal(workspaceId)) return workspaceId;
    const workspace = await findWorkspace(env.DB, workspaceId);
    return workspace ? ok(toWireWorkspaceItem(workspace)) : invitationOver;
  },
});

async function toWireOpenInvitation(env: Env, invitation: Invitation) {
  return toWireInvitation(invitation, await createInvitationToken(env, invitation), env.PUBLIC_URL);
}

export const invitationRoutes = [list, invite, remove, accept];
