// Changes of a workspace's members: their roles, removal, leaving and the transfer of ownership.
// The rules check the member as read. The database checks again in the statement of the change,
// because another change may have come first.
import { type Actor, findUser } from "../access/rules/actor.ts";
import type { RecordedEvent } from "../activity/rules/activity.ts";
import type { Env } from "../env.ts";
import { createId } from "../lib/ids.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { publishMemberEvent } from "../webhook/member-events.ts";
import type { WebhooksEnv } from "../webhook/send.ts";
import { endStreams } from "./end-streams.ts";
import { publishMembersChanged } from "./publish-event.ts";
import {
  findMember,
  type Member,
  type MemberChange,
  removeMember,
  saveRole,
  transferOwnership,
} from "./queries/members.ts";
import { countOwned } from "./queries/workspaces.ts";
import { type MembershipChange, toMembershipEvent } from "./rules/activity-events.ts";
import { checkRemoval, checkRoleChange, checkTransfer, type GrantedRole, type MemberFacts } from "./rules/member.ts";
import { checkOwned } from "./rules/workspace.ts";

type MembersEnv = WebhooksEnv & Pick<Env, "WORKSPACE_EVENTS">;

/** Names a member of a workspace and who changes them. */
export interface MemberCommand {
  workspaceId: string;
  userId: string;
  by: Actor;
}

/** Gives a member a role, and returns the member. */
export async function updateRole(
  env: MembersEnv,
  command: MemberCommand,
  to: GrantedRole,
  now: number,
): Promise<Member | Refusal> {
  const refusal = await updateMember(env, command, now, {
    rule: checkRoleChange,
    toEvent: (member) => ({ type: "role-changed", member, from: member.role, to, isTransfer: false }),
    // Setting the current role changes nothing.
    make: async (change, { role: from }) => from === to || (await saveRole(env.DB, change, { from, to })),
  });
  if (refusal) return refusal;
  return (await findMember(env.DB, command.workspaceId, command.userId)) ?? overtaken;
}

/** Removes a member from a workspace. What they created stays. */
export async function removeFromWorkspace(
  env: MembersEnv,
  command: MemberCommand,
  now: number,
): Promise<Refusal | null> {
  const refusal = await updateMember(env, command, now, {
    rule: checkRemoval,
    toEvent: (member) => ({ type: "removed", member }),
    make: (change) => removeMember(env.DB, change),
  });
  if (refusal === null) endStreams(env, command.workspaceId, { userId: command.userId });
  return refusal;
}

/** Makes a member the owner, and the owner an admin. */
export async function transferWorkspace(env: MembersEnv, command: MemberCommand, now: number): Promise<Refusal | null> {
  const refusal = await updateMember(env, command, now, {
    rule: checkTransfer,
    toEvent: (member) => ({ type: "role-changed", member, from: member.role, to: "owner", isTransfer: true }),
    make: (change) => transferOwnership(env.DB, change),
  });
  return refusal === overtaken ? (checkOwned(await countOwned(env.DB, command.userId)) ?? overtaken) : refusal;
}

const overtaken = refuse("CONFLICT", "Somebody else changed the members meanwhile. Read them again, then decide.");

interface ChangeParts {
  rule(facts: MemberFacts): Refusal | null;
  /** The event for the workspace's activity. */
  toEvent(member: Member): MembershipChange;
  /** False if another change came first. */
  make(change: MemberChange, member: Member): Promise<boolean>;
}

async function updateMember(
  env: MembersEnv,
  { workspaceId, userId, by }: MemberCommand,
  now: number,
  { rule, toEvent, make }: ChangeParts,
): Promise<Refusal | null> {
  const byUserId = findUser(by)?.id;
  if (byUserId === undefined) return refuse("FORBIDDEN");
  const { DB } = env;
  const judge = (member: Member | null) => rule({ role: member?.role ?? null, isSelf: userId === byUserId });
  const member = await findMember(DB, workspaceId, userId);
  const refusal = judge(member);
  if (refusal || !member) return refusal;
  const event = toMembershipEventAt(workspaceId, toEvent(member), by, now);
  if (await make({ workspaceId, userId, byUserId, event }, member)) {
    publishMemberEvent(env, event);
    publishMembersChanged(env, workspaceId);
    return null;
  }
  return judge(await findMember(DB, workspaceId, userId)) ?? overtaken;
}

/**
 * The event of a change of members, with the id that it is recorded with. Null for an actor without
 * a member.
 */
export function toMembershipEventAt(
  workspaceId: string,
  change: MembershipChange,
  by: Actor,
  now: number,
): RecordedEvent | null {
  const event = toMembershipEvent(workspaceId, change, by);
  return event && { ...event, id: createId(now) };
}
