// Members of a workspace: their roles, removal, leaving and the transfer of ownership. A workspace
// always has exactly one owner. The database makes each change in one statement that checks this
// again; these rules say why a change is refused.

import type { Role } from "../../access/rules/membership.ts";
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
export function checkRoleChange({ role, isSelf }: MemberFacts): Refusal | null {
  if (role === null) return noMember;
  if (role === "owner") return refuse("BAD_REQUEST", `The owner's role cannot be changed. ${transferFirst}`);
  return isSelf ? refuse("BAD_REQUEST", "You cannot change your own role. Ask another admin or the owner.") : null;
}

/** Refuses the removal of a member, who may remove themselves. */
export function checkRemoval({ role, isSelf }: MemberFacts): Refusal | null {
  if (role === null) return noMember;
  if (role !== "owner") return null;
  return refuse("BAD_REQUEST", `The owner cannot ${isSelf ? "leave" : "be removed"}. ${transferFirst}`);
}

/** Refuses a transfer of the ownership to somebody. */
export function checkTransfer({ role, isSelf }: MemberFacts): Refusal | null {
  if (role === null) return noMember;
  return isSelf ? refuse("BAD_REQUEST", "You are the owner already. Name another member.") : null;
}
