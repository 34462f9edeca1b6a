// Members of a workspace: their roles, removal, leaving and the transfer of ownership. A workspace
// always has exactly one owner. The database makes each change in one statement that checks this
// again; these rules say why a change is refused.

import type { Actor } from "../../access/rules/actor.ts";
import type { Role } from "../../access/rules/membership.ts";
import { type ActivityEvent, findDoer, type MemberActionKind } from "../../activity/rules/activity.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

/**
 * The roles that a member can be given. There is only one owner, who gives that role away by a
 * transfer.
 */
export const grantedRoles = ["admin", "member"] as const satisfies readonly Role[];
export type GrantedRole = (typeof grantedRoles)[number];

export interface MemberFacts {
  /** The role of the member who is changed; null for a user who is not a member. */
  role: Role | null;
  /** True if they change themselves. */
  isSelf: boolean;
}

const noMember = refuse("NOT_FOUND", "The workspace has no such member.");
const transferFirst = "Transfer the ownership first.";

/** Refuses a change of a member's role. */
export function mayChangeRole({ role, isSelf }: MemberFacts): Refusal | null {
  if (role === null) return noMember;
  if (role === "owner") return refuse("BAD_REQUEST", `The owner's role cannot be changed. ${transferFirst}`);
  return isSelf ? refuse("BAD_REQUEST", "You cannot change your own role. Ask another admin or the owner.") : null;
}

/** Refuses the removal of a member, who may remove themselves. */
export function mayRemove({ role, isSelf }: MemberFacts): Refusal | null {
  if (role === null) return noMember;
  if (role !== "owner") return null;
  return refuse("BAD_REQUEST", `The owner cannot ${isSelf ? "leave" : "be removed"}. ${transferFirst}`);
}

/** Refuses a transfer of the ownership to somebody. */
export function mayTransferTo({ role, isSelf }: MemberFacts): Refusal | null {
  if (role === null) return noMember;
  return isSelf ? refuse("BAD_REQUEST", "You are the owner already. Name another member.") : null;
}

/** The member whom a change is about, with their name at that time. */
interface Changed {
  userId: string;
  name: string;
}

/** The activity events of a workspace's members. */
export type MembershipChange =
  | { type: "invited"; email: string; role: Role }
  | { type: "removed"; member: Changed }
  /** `isTransfer` is true for a member who becomes the owner. */
  | { type: "role-changed"; member: Changed; from: Role; to: Role; isTransfer: boolean };

/** The event of a change that `by` makes; null for an actor without a member (Part 2, "Events"). */
export function toMembershipEvent(workspaceId: string, change: MembershipChange, by: Actor): ActivityEvent | null {
  const doer = findDoer(by);
  if (doer === null) return null;
  const about = { workspaceId, projectId: null, sessionId: null, subject: null, doer, once: null };
  return { ...about, ...toActivity(change, doer.userId) };
}

function toActivity(
  change: MembershipChange,
  byUserId: string,
): { kind: MemberActionKind; payload: Record<string, unknown> } {
  switch (change.type) {
    case "invited":
      return { kind: "member_invited", payload: { email: change.email, role: change.role } };
    case "removed": {
      const { userId, name } = change.member;
      return { kind: "member_removed", payload: { userId, name, self: userId === byUserId } };
    }
    case "role-changed": {
      const { member, from, to, isTransfer: transfer } = change;
      return { kind: "member_role_changed", payload: { userId: member.userId, name: member.name, from, to, transfer } };
    }
  }
}
