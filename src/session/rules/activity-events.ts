// The events of a session. They are found by comparing the session before and after a decision, so
// that no rule has to report them. The activity feed and people's notifications are made from them.
import type { Actor } from "../../access/rules/actor.ts";
import {
  type ChangeKind,
  type Doer,
  findDoer,
  type HappenedEvent,
  type MemberActionKind,
  type UnlistedKind,
} from "../../activity/rules/activity.ts";
import { isOpenPullRequest } from "./pull-request/pull-request.ts";
import type { Assignee, Session, SessionState } from "./session.ts";
import { isOpen } from "./status.ts";

type Happening<Kind> = { kind: Kind; payload?: Record<string, unknown>; once?: string };
type Change = Happening<ChangeKind | UnlistedKind>;
type MemberAction = Happening<MemberActionKind>;

/**
 * The events of a decision that `by` requested, in the order in which they are recorded (Part 2,
 * "Events").
 */
export function listActivityEvents(
  before: SessionState | null,
  after: SessionState | null,
  by: Actor,
  now: number,
): HappenedEvent[] {
  const session = (after ?? before)?.session;
  if (!session || before === after) return [];
  const doer = findDoer(by);
  const actions = doer === null ? [] : memberActions(before, after, doer, now);
  const asked = before === null && session.status === "active" ? findAsked(by) : null;
  const changes = before && after ? observed(before, after) : [];
  const { id: sessionId, workspaceId, projectId, title: subject } = session;
  const about = { workspaceId, projectId, sessionId, subject };
  return [
    ...actions.map(({ kind, payload = {}, once = null }) => ({ kind, ...about, doer, payload, once })),
    ...(asked === null ? [] : [{ kind: "session_started" as const, ...about, ...asked, once: null }]),
    ...changes.map(({ kind, payload = {}, once = null }) => ({ kind, ...about, doer: null, payload, once })),
  ];
}

/** The member who asked a trigger for a session, by hand: at the code host. */
function findAsked(by: Actor): { doer: Doer; payload: Record<string, unknown> } | null {
  if (by.type !== "trigger" || by.askedBy === null) return null;
  const { name, source, url } = by;
  return { doer: { userId: by.askedBy, source: null }, payload: { trigger: { name, source, url } } };
}

function observed(before: SessionState, after: SessionState): Change[] {
  const [was, is] = [before.session, after.session];
  const { endedTurn } = after.chat;
  const changes: Change[] = [];
  const ended = endedTurn === before.chat.endedTurn ? null : endedTurn;
  if (ended?.status === "awaiting_response") changes.push({ kind: "job_awaiting_response" });
  if (ended?.status === "failed") changes.push({ kind: "job_failed" });
  const verdict = findNewVerdict(was, is);
  if (verdict !== null) changes.push({ kind: verdict === "failed" ? "pr_checks_failed" : "pr_checks_passed" });
  if (is.prState === "merged" && was.prState !== "merged") changes.push({ kind: "pr_merged", payload: toMerge(is) });
  if (is.isBehind && !was.isBehind && isOpen(is.status)) changes.push({ kind: "branch_behind" });
  const { staleSince } = is.prReport ?? {};
  if (staleSince !== undefined && staleSince !== was.prReport?.staleSince) changes.push({ kind: "pr_stale" });
  return changes;
}

/** The verdict that the checks of the open pull request have now and did not have; null if none. */
export function findNewVerdict({ prReport: was }: Session, { prReport: is, prState }: Session) {
  if (!is?.verdict || !isOpenPullRequest(prState)) return null;
  return was?.sha === is.sha && (was.verdict ?? was.lastVerdict) === is.verdict ? null : is.verdict;
}

function toMerge({ title, prNumber, prReport }: Session): Record<string, unknown> {
  return { sessionTitle: title, pullRequestNumber: prNumber, mergedBy: prReport?.mergedBy ?? null };
}

function memberActions(
  before: SessionState | null,
  after: SessionState | null,
  doer: Doer,
  now: number,
): MemberAction[] {
  if (after === null) return [{ kind: "session_deleted" }];
  if (before === null) return creation(after.session, doer);
  const [was, is] = [before.session, after.session];
  // An activation includes its first message.
  if (was.status === "backlog" && is.status === "active") return [{ kind: "session_started" }];
  const { status: from } = was;
  const { status: to } = is;
  const moved = from === to ? [] : [to === "archived" ? archived : { ...statusChanged, payload: { from, to } }];
  // If a message sets the Assignee, that is part of the message.
  if (sends(before, after)) return [...moved, ...(brings(before, after) ? [messageSent(doer, now)] : [])];
  return [
    ...moved,
    ...(was.priority === is.priority
      ? []
      : [{ kind: "session_priority_changed" as const, payload: { from: was.priority, to: is.priority } }]),
    ...(assigneeId(was.assignee) === assigneeId(is.assignee) ? [] : [assigned(is.assignee)]),
  ];
}

const archived = { kind: "session_archived" as const };
const statusChanged = { kind: "session_status_changed" as const };

/**
 * A session that is created Active is started. One that is filed in the Backlog may be filed for
 * another member.
 */
function creation({ status, assignee }: Session, { userId }: Doer): MemberAction[] {
  if (status === "active") return [{ kind: "session_started" }];
  return assignee?.kind === "member" && assignee.userId !== userId ? [assigned(assignee)] : [];
}

function assigned(assignee: Assignee | null): MemberAction {
  return { kind: "session_assigned", payload: { assignee: toAssigneePayload(assignee) } };
}

function toAssigneePayload(assignee: Assignee | null) {
  return assignee?.kind === "member" ? { kind: "member", userId: assignee.userId, name: assignee.name } : assignee;
}

function assigneeId(assignee: Assignee | null): string | null {
  return assignee?.kind === "member" ? assignee.userId : (assignee?.kind ?? null);
}

function messageSent({ userId }: Doer, now: number): MemberAction {
  const day = new Date(now).toISOString().slice(0, 10);
  return { kind: "session_message_sent", once: `session_message_sent ${userId} ${day}` };
}

/** True if a decision accepted a new message, or started a turn with a waiting one. */
function sends(before: SessionState, after: SessionState): boolean {
  return after.chat.newMessages.length > 0 || brings(before, after);
}

/** True if a decision accepted a new message, whether it starts a turn or waits Up next. */
function brings(before: SessionState, after: SessionState): boolean {
  const known = new Set(
    [...before.chat.upNext, ...before.chat.steers.map(({ message }) => message)].map(({ id }) => id),
  );
  return [...after.chat.newMessages, ...after.chat.upNext].some(({ id }) => !known.has(id));
}
