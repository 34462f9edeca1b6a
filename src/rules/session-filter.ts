// The filter of a list of sessions (decisions, "Chat sessions"): what it may ask for, and how a search compares texts.
import { type Refusal, refuse } from "./refusal.ts";
import type { SessionStatus } from "./session.ts";

/** Whose sessions: booked to one member, to the service, or to nobody. */
export type AssigneeFilter = { kind: "member"; userId: string } | { kind: "service" } | { kind: "none" };

export interface SessionFilter {
  workspaceId: string | null;
  projectId: string | null;
  /** Any of these; empty for all. */
  statuses: SessionStatus[];
  assignee: AssigneeFilter | null;
  /** A part of the title or the prompt. */
  search: string;
  needsYou: boolean;
}

/** What exists of the nouns that a filter names, and which workspaces its caller reaches. */
export interface FilterFacts {
  workspaceExists: boolean;
  /** The workspace of the project that the filter names; null for an unknown one. */
  projectWorkspaceId: string | null;
  reached: readonly string[];
}

/** Refuses a filter that names a workspace or a project which is unknown, or which its caller is not in. */
export function mayFilter({ workspaceId, projectId }: SessionFilter, facts: FilterFacts): Refusal | null {
  if (workspaceId !== null) {
    if (!facts.workspaceExists) return refuse("NOT_FOUND", "There is no such workspace.");
    if (!facts.reached.includes(workspaceId)) return refuse("FORBIDDEN", "You are not a member of this workspace.");
  }
  if (projectId !== null) {
    if (facts.projectWorkspaceId === null) return refuse("NOT_FOUND", "There is no such project.");
    if (!facts.reached.includes(facts.projectWorkspaceId))
      return refuse("FORBIDDEN", "You are not a member of this project's workspace.");
  }
  return null;
}

/** A text in the form that searches compare, in which the cases of any script are alike. */
export function searchable(text: string): string {
  // Upper case first, for letters that have several lower cases: `ß` and `ss`, `ς` and `σ`.
  return text.toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC");
}
