// Membership: a user's role in a workspace, and what it allows.
import { type Refusal, refuse } from "../../rules/refusal.ts";

export const roles = ["owner", "admin", "member"] as const;
export type Role = (typeof roles)[number];

export interface User {
  id: string;
  name: string;
  email: string;
  imageUrl: string | null;
}

/**
 * The role of a user in the workspace of a request, and their relation to the thing that it acts
 * on.
 */
export interface Standing {
  /** Null for a user who is not a member. */
  role: Role | null;
  /** True for the author or creator of the thing. */
  isOwn: boolean;
}

/**
 * Who may perform an action. `user`: everybody who is signed in, for themselves. `member`: every
 * member of the workspace. `author`: the author. `creator`: the creator, an admin or the owner.
 * `admin`: an admin or the owner. `owner`: the owner.
 */
export type Who = "user" | "member" | "author" | "creator" | "admin" | "owner";

/** The one of two roles that allows less; null if either is not a member's. */
export function getLesserRole(one: Role | null, other: Role | null): Role | null {
  if (one === null || other === null) return null;
  return roles.indexOf(one) < roles.indexOf(other) ? other : one;
}

/** The refusal of anyone who is not a member of a workspace. */
export const notMember = refuse(
  "FORBIDDEN",
  "You are not a member of this workspace. Ask its owner or an admin for an invitation.",
);

/** Refuses a user who is not a member of the workspace. */
export function checkMembership(role: Role | null): Refusal | null {
  return role === null ? notMember : null;
}

/** Refuses a user whose membership does not allow an action. */
export function checkAllowed(who: Who, standing: Standing): Refusal | null {
  if (who === "user") return null;
  return checkMembership(standing.role) ?? (meets(who, standing) ? null : refuse("FORBIDDEN", demands[who]));
}

function meets(who: Exclude<Who, "user">, { role, isOwn }: Standing): boolean {
  const isAdmin = role === "owner" || role === "admin";
  switch (who) {
    case "member":
      return role !== null;
    case "author":
      return isOwn;
    case "creator":
      return isOwn || isAdmin;
    case "admin":
      return isAdmin;
    case "owner":
      return role === "owner";
  }
}

const demands: Record<Exclude<Who, "user">, string> = {
  member: "Only a member of the workspace may do this.",
  author: "Only its author may do this.",
  creator: "Only its creator, an admin or the owner may do this.",
  admin: "Only an admin or the owner may do this.",
  owner: "Only the owner may do this.",
};
