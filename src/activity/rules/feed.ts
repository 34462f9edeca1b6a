// The feed of a member: the meaning of a request for it, and which events are New.
import { notMember } from "../../access/rules/membership.ts";
import type { CallerKind } from "../../access/rules/permission-table.ts";
import { activityPageSizeMax, activityWindowMs } from "../../rules/limits.ts";
import { parseTime } from "../../rules/moment.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { type ActivityKind, activityKinds, changeKinds, memberActionKinds } from "./activity.ts";

/** The client's request, unparsed. */
export interface FeedRequest {
  since?: string | undefined;
  kind?: string | undefined;
  cursor?: string | undefined;
  workspace?: string | undefined;
  project?: string | undefined;
  unseen: boolean;
  markSeen: boolean;
  limit: number;
}

export interface Feed {
  workspaceId: string | null;
  projectId: string | null;
  /** Null for every kind. */
  kinds: ActivityKind[] | null;
  since: number;
  /** True for only the events that are New to the caller. */
  isNewAlone: boolean;
  /** True to move the Seen Marks past the page. */
  marksSeen: boolean;
  direction: Direction;
  /** The position of the event after which the page starts; null for the first page. */
  behind: number | null;
  pageSize: number;
}

/** Parses a request for a feed. Refuses an invalid request before anything is read or marked. */
export function parseFeed(asked: FeedRequest, caller: CallerKind, now: number): Feed | Refusal {
  const refusal = asked.markSeen ? checkMark(asked, caller) : null;
  if (refusal) return refusal;
  const kinds = asked.kind === undefined ? null : parseKinds(asked.kind);
  if (kinds === undefined) {
    const known = activityKinds.join(", ");
    return refuse("BAD_REQUEST", `kind is change, action, or kinds with commas between. The kinds are ${known}.`);
  }
  const since = asked.since === undefined ? now - activityWindowMs : parseSince(asked.since, now);
  if (since === null) {
    return refuse("BAD_REQUEST", "since is a date, a time, or a span such as 24h or 7d.");
  }
  const isNewAlone = asked.unseen || asked.markSeen;
  const direction = isNewAlone ? "oldest-first" : "newest-first";
  const cursor = asked.markSeen ? undefined : asked.cursor;
  const behind = cursor === undefined ? null : parseCursor(cursor, direction);
  if (cursor !== undefined && behind === null) {
    return refuse(
      "BAD_REQUEST",
      "cursor is the nextCursor of a page of the same feed. Leave it out for the first page.",
    );
  }
  return {
    workspaceId: asked.workspace ?? null,
    projectId: asked.project ?? null,
    kinds,
    since,
    isNewAlone,
    marksSeen: asked.markSeen,
    direction,
    behind,
    pageSize: Math.min(asked.limit, activityPageSizeMax),
  };
}

function checkMark({ project, kind, since }: FeedRequest, caller: CallerKind): Refusal | null {
  if (caller === "browser") return refuse("BAD_REQUEST", "markSeen needs an API key; a browser session cannot mark.");
  if (caller !== "api-key") return refuse("FORBIDDEN", "markSeen needs an API key of the member.");
  if ([project, kind, since].every((filter) => filter === undefined)) return null;
  return refuse(
    "BAD_REQUEST",
    "markSeen takes no project, kind or since, because it would also mark events that were not shown.",
  );
}

/** Undefined for a text that does not list kinds. */
function parseKinds(text: string): ActivityKind[] | undefined {
  if (text === "change") return [...changeKinds];
  if (text === "action") return [...memberActionKinds];
  const named = text.split(",");
  const kinds = activityKinds.filter((kind) => named.includes(kind));
  return named.every((name) => kinds.some((kind) => kind === name)) ? kinds : undefined;
}

/** Events with an actor are actions of members. */
export function getCategory(kind: ActivityKind): "change" | "action" {
  return changeKinds.some((change) => change === kind) ? "change" : "action";
}

/** True for an event after the Seen Mark of its workspace, made by somebody else. */
export function isNew(
  event: { seq: number; actorId: string | null },
  reader: { seenSeq: number; userId: string },
): boolean {
  return event.seq > reader.seenSeq && event.actorId !== reader.userId;
}

/**
 * The workspace and the project that a request names, if they exist, and what its caller reaches.
 */
export interface FeedFacts {
  isWorkspace: boolean;
  /** The workspace of the named project; null for an unknown project. */
  projectWorkspaceId: string | null;
  reached: readonly string[];
}

/**
 * Refuses a feed of an unknown workspace or project, or of one that its caller does not belong to.
 */
export function checkFeed(
  { workspaceId, projectId }: Pick<Feed, "workspaceId" | "projectId">,
  { isWorkspace, projectWorkspaceId, reached }: FeedFacts,
): Refusal | null {
  if (workspaceId !== null) {
    if (!isWorkspace) return refuse("NOT_FOUND", "There is no such workspace.");
    if (!reached.includes(workspaceId)) return notMember;
  }
  if (projectId === null) return null;
  if (projectWorkspaceId === null) return refuse("NOT_FOUND", "There is no such project.");
  if (!reached.includes(projectWorkspaceId)) return notMember;
  const isInside = workspaceId === null || workspaceId === projectWorkspaceId;
  return isInside ? null : refuse("NOT_FOUND", "There is no such project in this workspace.");
}

const unitMs = { h: 60 * 60_000, d: 24 * 60 * 60_000 } as const;
const span = /^(\d{1,6})([hd])$/;

/**
 * The start of a feed in milliseconds since 1970, never before the window of the feed. A client
 * writes a time span before now, a date, or a time; without a zone, dates and times are in UTC.
 * Null for any other text.
 */
export function parseSince(text: string, now: number): number | null {
  const at = spanStart(text, now) ?? parseTime(text);
  return at === null ? null : Math.max(at, now - activityWindowMs);
}

function spanStart(text: string, now: number): number | null {
  const [, count, unit] = span.exec(text) ?? [];
  return count === undefined ? null : now - Number(count) * unitMs[unit as keyof typeof unitMs];
}

/** The order of a page. */
export type Direction = "newest-first" | "oldest-first";

const version = "1";
const marks: Record<Direction, string> = { "newest-first": "n", "oldest-first": "o" };

/** The cursor of the page after an event. */
export function formatCursor(seq: number, direction: Direction): string {
  return btoa(`${version}${marks[direction]}${seq}`).replace(/=+$/, "");
}

/**
 * The position of the event after which a page starts. Null for an invalid cursor, and for a cursor
 * of the other direction.
 */
export function parseCursor(cursor: string, direction: Direction): number | null {
  if (!/^[\w+/]{1,40}$/.test(cursor) || cursor.length % 4 === 1) return null;
  const [, seq] = new RegExp(`^${version}${marks[direction]}(\\d{1,15})$`).exec(atob(cursor)) ?? [];
  return seq !== undefined && formatCursor(Number(seq), direction) === cursor ? Number(seq) : null;
}
