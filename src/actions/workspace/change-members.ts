// Changes of a workspace's members: their roles, removal, leaving and the transfer of ownership. The rules judge the member as read; the database
// judges again in the statement of the change, which somebody else's change may have overtaken.
import type { Env } from "../../env.ts";
import { type Actor, userOf } from "../../rules/access/actor.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import {
  type GrantedRole,
  type MemberChange,
  mayChangeRole,
  mayRemove,
  mayTransferTo,
} from "../../rules/workspace/member.ts";
import { findMember, type Member, removeMember, setRole, transferOwnership } from "../../storage/queries/members.ts";

/** Names a member of a workspace and who changes them. */
export interface MemberCommand {
  workspaceId: string;
  userId: string;
  by: Actor;
}

/** Gives a member a role, and answers the member. */
export async function changeRole(
  env: Pick<Env, "DB">,
  command: MemberCommand,
  role: GrantedRole,
): Promise<Member | Refusal> {
  const refusal = await changeMember(env, command, mayChangeRole, (change) => setRole(env.DB, change, role));
  if (refusal) return refusal;
  return (await findMember(env.DB, command.workspaceId, command.userId)) ?? overtaken;
}

/** Removes a member from a workspace. What they made stays. */
export async function removeFromWorkspace(env: Pick<Env, "DB">, command: MemberCommand): Promise<Refusal | null> {
  return await changeMember(env, command, mayRemove, (change) => removeMember(env.DB, change));
}

/** Makes a member the owner, and the owner an admin. */
export async function transferWorkspace(env: Pick<Env, "DB">, command: MemberCommand): Promise<Refusal | null> {
  return await changeMember(env, command, mayTransferTo, (change) => transferOwnership(env.DB, change));
}

const overtaken = refuse("CONFLICT", "Somebody else changed the members meanwhile. Read them again, then decide.");

async function changeMember(
  env: Pick<Env, "DB">,
  { workspaceId, userId, by }: MemberCommand,
  rule: (change: MemberChange) => Refusal | null,
  change: (change: { workspaceId: string; userId: string; byUserId: string }) => Promise<boolean>,
): Promise<Refusal | null> {
  const byUserId = userOf(by)?.id;
  if (byUserId === undefined) return refuse("FORBIDDEN");
  const judge = async () => {
    const member = await findMember(env.DB, workspaceId, userId);
    return rule({ role: member?.role ?? null, isSelf: userId === byUserId });
  };
  const refusal = await judge();
  if (refusal) return refusal;
  return (await change({ workspaceId, userId, byUserId })) ? null : ((await judge()) ?? overtaken);
}
