// What the roles of a workspace may do with its settings and its members.
import type { Schemas } from "@switchyard/client";

/** Null for a caller without a role, which may do what a member may. */
export type Role = Schemas["WorkspaceRecord"]["role"];
export type Access = "member" | "admin" | "owner";
export type GivenRole = "admin" | "member";

const ranks: Record<Access, number> = { member: 0, admin: 1, owner: 2 };

/** True if a role may do what needs another one. */
export const isAtLeast = (role: Role, needed: Access): boolean => ranks[role ?? "member"] >= ranks[needed];

export const roleNames: Record<Access, string> = { owner: "Owner", admin: "Admin", member: "Member" };

/** What a role means, for the one who gives it. */
export const roleHints: Record<GivenRole, string> = {
  admin: "Changes settings, members, credentials and keys.",
  member: "Works with sessions and projects; changes nothing of the workspace.",
};

interface Person {
  userId: string;
  role: Role;
}

/** What a person may do to a member. Nobody changes the owner's role or their own. */
export function listMemberRights(me: Person, member: Person) {
  const isSelf = me.userId === member.userId;
  const isManaged = isAtLeast(me.role, "admin") && !isSelf && member.role !== "owner";
  return {
    isSelf,
    mayChangeRole: isManaged,
    mayRemove: isManaged,
    mayTransfer: me.role === "owner" && !isSelf,
    mayLeave: isSelf && member.role !== "owner",
  };
}
