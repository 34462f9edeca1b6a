// The filter of a list of sessions (decisions, "Chat sessions"): its permissions, and how a search
// compares texts.
import { notMember } from "../../access/rules/membership.ts";
import { checkWorkspaces, type ListFacts } from "../../access/rules/reachable-workspaces.ts";
import type { TurnStatus } from "../../chat/rules/turn.ts";
import { searchedPromptCharacters, sessionRefCharactersMin } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { toFirstCodePoints } from "../../rules/text.ts";
import type { MetadataFilter } from "./metadata.ts";
import type { SessionStatus } from "./status.ts";

/** Sessions that are assigned to one member, to the service, or to nobody. */
export type AssigneeFilter = { kind: "member"; userId: string } | { kind: "service" } | { kind: "none" };

export interface SessionFilter {
  /** Any of these; empty for all. The same holds for projects and statuses. */
  workspaceIds: readonly string[];
  projectIds: readonly string[];
  statuses: SessionStatus[];
  assignee: AssigneeFilter | null;
  /** A substring of the title or the prompt. */
  search: string;
  needsYou: boolean;
  /** The statuses of the newest turn. */
  turnStatuses?: TurnStatus[];
  /** A name of one session; null for all. */
  ref?: SessionRef | null;
  /** All of these. */
  metadata?: readonly MetadataFilter[];
}

export const sessionOrders = ["created", "updated", "priority"] as const;
export type SessionOrder = (typeof sessionOrders)[number];

/**
 * A name of a session: its id, the end of its id, its branch, or the number of its pull request.
 */
export type SessionRef =
  | { type: "name"; name: string; idEnd: string | null }
  | { type: "pull-request"; number: number };

/** Parses a name of a session; null for one that is too short to mean one session. */
export function parseSessionRef(text: string): SessionRef | null {
  const number = /^pr:(\d{1,9})$/.exec(text)?.[1];
  if (number !== undefined) return { type: "pull-request", number: Number(number) };
  if (text.length < sessionRefCharactersMin) return null;
  return { type: "name", name: text, idEnd: /^[0-9a-f-]{1,36}$/.test(text) ? text : null };
}

/** Refuses a name that means several sessions, with those that it may mean. */
export function checkRef(
  ref: SessionRef | null,
  candidates: readonly { id: string; title: string; projectId: string }[],
): Refusal | null {
  if (ref === null || candidates.length < 2) return null;
  return refuse("BAD_REQUEST", "`ref` matches several sessions. Use the whole id of one of them.", {
    sessions: [...candidates],
  });
}

/** The existing nouns among those that a filter names, and the workspaces of its caller. */
export interface FilterFacts extends ListFacts {
  /** The projects that the filter names, each with its workspace. */
  projects: readonly { id: string; workspaceId: string }[];
  /** The only project that the caller can access; null for all. */
  reachedProject: string | null;
}

/**
 * Refuses a filter that names an unknown workspace or project, or one that its caller does not
 * belong to.
 */
export function checkFilter(
  { workspaceIds, projectIds }: Pick<SessionFilter, "workspaceIds" | "projectIds">,
  facts: FilterFacts,
): Refusal | null {
  const refusal = checkWorkspaces(workspaceIds, facts);
  if (refusal) return refusal;
  for (const id of projectIds) {
    const project = facts.projects.find((known) => known.id === id);
    if (!project) return refuse("NOT_FOUND", "There is no such project.");
    if (!facts.reached.includes(project.workspaceId)) return notMember;
    if (facts.reachedProject !== null && facts.reachedProject !== id)
      return refuse("FORBIDDEN", "The cron's creator left the workspace; its runs reach only their own project.");
  }
  return null;
}

/** Normalizes a text for search comparison, without differences of case in any script. */
export function toSearchable(text: string): string {
  // Upper case first, because some letters have several lower cases: `ß` and `ss`, `ς` and `σ`.
  return text.toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC");
}

/** The part of a prompt that searches compare. */
export function toSearchablePrompt(prompt: string): string {
  return toSearchable(toFirstCodePoints(prompt, searchedPromptCharacters));
}
