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
export function findLesserRole(one: Role | null, other: Role | null): Role | null {
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

/** A user and the workspace of their request. */
interface WorkspaceRequest {
  /** True if the user's key is bound to one workspace. */
  isBound: boolean;
  /** The user's role in the workspace of such a key. */
  boundRole: Role | null;
  /** The noun of the path that does not exist; null if its workspace is known. */
  unknown: string | null;
  /** True if the request names a workspace, or a noun of one. */
  hasWorkspace: boolean;
  /** The user's role in that workspace. */
  role: Role | null;
}

/**
 * Refuses a user who is not, or no longer, a member of the workspace with 403, and a noun that does
 * not exist with 404. A key that is bound to a workspace ends with its user's membership.
 */
export function checkWorkspaceAccess({
  isBound,
  boundRole,
  unknown,
  hasWorkspace,
  role,
}: WorkspaceRequest): Refusal | null {
  if (isBound && boundRole === null) return notMember;
  if (unknown !== null) return refuse("NOT_FOUND", `There is no such ${unknown}.`);
  return hasWorkspace ? checkMembership(role) : null;
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
