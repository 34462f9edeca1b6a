// The activity events of a workspace (Part 2, "Events"): invitations, and changes of members and
// their roles.
import type { Actor } from "../../access/rules/actor.ts";
import type { Role } from "../../access/rules/membership.ts";
import { type ActivityEvent, findDoer, type MemberActionKind } from "../../activity/rules/activity.ts";

/** The member whom a change is about, with their name at that time. */
interface Changed {
  userId: string;
  name: string;
}

/** A change of the members that the activity feed lists. */
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
