// Membership: a user's standing in a workspace, and what that standing allows.
import { type Refusal, refuse } from "../refusal.ts";

export const roles = ["owner", "admin", "member"] as const;
export type Role = (typeof roles)[number];

export interface User {
  id: string;
  name: string;
  email: string;
  imageUrl: string | null;
}

/** What is known of a user in the workspace they act in. */
export interface Standing {
  /** Null for somebody who is no member. */
  role: Role | null;
  /** True when the user made the thing acted on: its author or creator. */
  isOwn: boolean;
}

/**
 * Whom an action is for: `user` anybody signed in, for themselves; `member` every member of the workspace; `author` the one who made the
 * thing; `creator` that one, or an admin or owner; `admin` an admin or owner; `owner` the owner.
 */
export type Who = "user" | "member" | "author" | "creator" | "admin" | "owner";

/** Refuses somebody who is no member of the workspace they act in. */
export function membership(role: Role | null): Refusal | null {
  return role === null ? refuse("FORBIDDEN", "You are not a member of this workspace.") : null;
}

/** Refuses a user whose standing is not what an action asks for. */
export function allows(who: Who, standing: Standing): Refusal | null {
  if (who === "user") return null;
  return membership(standing.role) ?? (meets(who, standing) ? null : refuse("FORBIDDEN", demands[who]));
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
