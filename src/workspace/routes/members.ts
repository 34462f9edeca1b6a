// The members of a workspace: list, roles, removal, leaving and the transfer of ownership.
import * as z from "zod";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { noContent, ok } from "../../http/response.ts";
import { exampleIds } from "../../lib/wire.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { type MemberCommand, removeFromWorkspace, transferWorkspace, updateRole } from "../members.ts";
import { listMembers } from "../queries/members.ts";
import { grantedRole, memberSchema, toWireMember } from "../wire.ts";

const path = "/api/organizations/{workspaceId}";
const tag = "Workspaces";

const list = endpoint({
  method: "GET",
  path: `${path}/members`,
  operation: "listMembers",
  summary: "List the members of a workspace by name.",
  tag,
  access: "member.read",
  noun: "workspace",
  response: { status: 200, data: z.array(memberSchema) },
  async handle({ env, found }) {
    return ok((await listMembers(env.DB, found.workspace.id)).map(toWireMember));
  },
});

const change = endpoint({
  method: "PATCH",
  path: `${path}/members/{userId}`,
  operation: "changeMember",
  summary: "Change a member's role. Owner and admins; not the owner's role, nor your own.",
  tag,
  access: "membership.change",
  noun: "workspace",
  body: { schema: z.strictObject({ role: grantedRole }).meta({ examples: [{ role: "admin" }] }) },
  response: { status: 200, data: memberSchema },
  refusals: ["BAD_REQUEST", "CONFLICT"],
  async handle(call) {
    const member = await updateRole(call.env, commandOn(call, call.params.userId), call.body.role, call.now);
    return isRefusal(member) ? member : ok(toWireMember(member));
  },
});

const remove = endpoint({
  method: "DELETE",
  path: `${path}/members/{userId}`,
  operation: "removeMember",
  summary: "Remove a member other than the owner. Everything that they created stays. Owner and admins.",
  tag,
  access: "membership.change",
  noun: "workspace",
  response: { status: 204 },
  refusals: ["BAD_REQUEST", "CONFLICT"],
  async handle(call) {
    return (await removeFromWorkspace(call.env, commandOn(call, call.params.userId), call.now)) ?? noContent;
  },
});

const leave = endpoint({
  method: "POST",
  path: `${path}/leave`,
  operation: "leaveWorkspace",
  summary: "Leave a workspace. The owner transfers the ownership first.",
  tag,
  access: "membership.leave",
  noun: "workspace",
  response: { status: 204 },
  refusals: ["BAD_REQUEST", "CONFLICT"],
  async handle(call) {
    return (await removeFromWorkspace(call.env, commandOn(call, call.caller.user?.id), call.now)) ?? noContent;
  },
});

const transfer = endpoint({
  method: "POST",
  path: `${path}/transfer-ownership`,
  operation: "transferOwnership",
  summary: "Transfer the ownership and become an admin. Only the owner.",
  tag,
  access: "workspace.transfer",
  noun: "workspace",
  body: {
    schema: z
      .strictObject({ userId: z.string().describe("The id of the member who becomes the owner.") })
      .meta({ examples: [{ userId: exampleIds.user }] }),
  },
  response: { status: 204 },
  refusals: ["BAD_REQUEST", "CONFLICT"],
  async handle(call) {
    return (await transferWorkspace(call.env, commandOn(call, call.body.userId), call.now)) ?? noContent;
  },
});

function commandOn<Body>(
  { found, caller }: Pick<Call<"workspace", undefined, Body>, "found" | "caller">,
  userId = "",
): MemberCommand {
  return { workspaceId: found.workspace.id, userId, by: caller.actor };
}

export const memberRoutes = [list, change, remove, leave, transfer];
