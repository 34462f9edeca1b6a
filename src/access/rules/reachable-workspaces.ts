// The workspaces that a caller reaches with a list across workspaces.

import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { Caller } from "./caller.ts";
import { notMember } from "./membership.ts";

/** One workspace, one project of it, or all workspaces of which a user is a member. */
export type Reach =
  /** With a `projectId`, only that project in the workspace is reached. */
  { kind: "workspace"; workspaceId: string; projectId?: string | null } | { kind: "memberships"; userId: string };

/** The workspaces that a list may name, and those that exist. */
export interface ListFacts {
  /** The existing workspaces among those that the list names. */
  workspaceIds: readonly string[];
  reached: readonly string[];
}

/**
 * A key that is bound to a workspace reaches only that one; any other key reaches the workspaces of
 * its user.
 */
export function findReach({
  user,
  workspaceId,
  projectId,
}: Pick<Caller, "user" | "workspaceId" | "projectId">): Reach | null {
  if (workspaceId !== null) return { kind: "workspace", workspaceId, projectId };
  return user && { kind: "memberships", userId: user.id };
}

/** Refuses a list that names an unknown workspace, or one that its caller does not reach. */
export function checkWorkspaces(named: readonly string[], facts: ListFacts): Refusal | null {
  for (const id of named) {
    if (!facts.workspaceIds.includes(id)) return refuse("NOT_FOUND", "There is no such workspace.");
    if (!facts.reached.includes(id)) return notMember;
  }
  return null;
}
