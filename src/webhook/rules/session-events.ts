// The events of sessions, their turns and their pull requests, for webhooks. Those of turns are
// made from the turn as it is stored, so that a turn needs no further write for them.
import type { Actor } from "../../access/rules/actor.ts";
import { findDoer } from "../../activity/rules/activity.ts";
import { isUnfinished, type Turn } from "../../chat/rules/turn.ts";
import { findNewVerdict } from "../../session/rules/activity-events.ts";
import { isOpenPullRequest } from "../../session/rules/pull-request/pull-request.ts";
import type { Session, SessionState } from "../../session/rules/session.ts";
import { isOpen } from "../../session/rules/status.ts";
import { createEventId, type NewWebhookEvent, type WebhookEvent } from "./event.ts";
import type { WebhookEventType } from "./event-types.ts";

/** Events of one millisecond have these many places in the sequence of a session. */
const placesOfMoment = 16;
const lastPlace = placesOfMoment - 1;

/** The fields of which `session.updated` names the changed ones. */
const watchedFields = ["title", "priority", "assignee", "spendLimitUsd", "metadata", "targetBranch"] as const;

interface Sequence {
  /** The place of the next event of this moment. It rises with each call. */
  next(at: number): number;
}

/** Numbers the events of a session. The numbers rise with time, also across restarts. */
export function createSequence(): Sequence {
  let last = 0;
  return {
    next(at) {
      last = Math.max(at * placesOfMoment + 1, last + 1);
      return last;
    },
  };
}

/** The events of a decision on a session that `by` requested, without those of its turns. */
export function listSessionWebhookEvents(
  before: SessionState | null,
  after: SessionState | null,
  { by, now, publicUrl, sequence }: { by: Actor; now: number; publicUrl: string; sequence: Sequence },
): NewWebhookEvent[] {
  const session = (after ?? before)?.session;
  if (!session || before?.session === after?.session) return [];
  const doer = findDoer(by);
  return listChanges(before?.session ?? null, after?.session ?? null).map(({ type, isObserved, data = {} }) => ({
    type,
    at: now,
    workspaceId: session.workspaceId,
    projectId: session.projectId,
    data: { ...toSessionData(session, publicUrl), status: session.status, ...data, sequence: sequence.next(now) },
    by: isObserved ? null : doer,
    text: { title: session.title },
  }));
}

interface Change {
  type: WebhookEventType;
  /** True if the service saw it at the code host. */
  isObserved?: true;
  data?: Record<string, unknown>;
}

function listChanges(was: Session | null, is: Session | null): Change[] {
  if (is === null) return was === null ? [] : [{ type: "session.deleted" }];
  if (was === null) return [{ type: "session.created" }];
  const changed = watchedFields.filter((field) => JSON.stringify(was[field]) !== JSON.stringify(is[field]));
  return [
    ...(changed.length > 0 ? [{ type: "session.updated" as const, data: { changed } }] : []),
    ...(was.status === is.status
      ? []
      : [{ type: "session.status_changed" as const, data: { from: was.status, to: is.status } }]),
    ...listPullRequestChanges(was, is),
  ];
}

function listPullRequestChanges(was: Session, is: Session): Change[] {
  const { prNumber: number, prUrl: url } = is;
  const data = { pullRequest: { number, url } };
  const found: Change[] = [];
  const note = (type: WebhookEventType) => found.push({ type, isObserved: true, data });
  if (isOpenPullRequest(is.prState) && !isOpenPullRequest(was.prState)) note("pull_request.opened");
  if (is.prState === "closed" && was.prState !== "closed") note("pull_request.closed");
  if (is.prState === "merged" && was.prState !== "merged") note("pull_request.merged");
  const verdict = findNewVerdict(was, is);
  if (verdict !== null) note(verdict === "failed" ? "pull_request.checks_failed" : "pull_request.checks_passed");
  if (is.isBehind && !was.isBehind && isOpen(is.status)) note("pull_request.behind");
  const { staleSince } = is.prReport ?? {};
  if (staleSince !== undefined && staleSince !== was.prReport?.staleSince) note("pull_request.stale");
  return found;
}

/** What a turn wrote, for webhooks that ask for texts. */
export interface TurnText {
  question: string | null;
  answer: string | null;
}

/**
 * The events of a turn so far. Each has the same id whenever it is made, so repeats are the same
 * event.
 */
export function listTurnWebhookEvents(
  session: Session,
  turn: Turn,
  { publicUrl, text }: { publicUrl: string; text: TurnText },
): WebhookEvent[] {
  const { sender } = turn;
  const about = {
    workspaceId: session.workspaceId,
    projectId: session.projectId,
    by: sender.kind === "member" ? { userId: sender.userId, source: null } : null,
  };
  const toData = (status: Turn["status"], sequence: number) => ({
    ...toSessionData(session, publicUrl),
    ...{ jobId: turn.id, jobNumber: turn.number, status },
    ...(status === "failed" && { errorCode: turn.errorCode }),
    sequence,
  });
  const started: WebhookEvent = {
    ...about,
    ...{ id: createEventId(turn.id, turn.createdAt, 1), type: "job.started", at: turn.createdAt },
    data: toData("pending", turn.createdAt * placesOfMoment + lastPlace),
    text: { title: session.title },
  };
  const { status, completedAt, error } = turn;
  if (isUnfinished(turn) || completedAt === null) return [started];
  const written = {
    ...(status === "awaiting_response" && text.question !== null && { question: text.question }),
    ...(status === "completed" && text.answer !== null && { answer: text.answer }),
    ...(status === "failed" && error !== null && { error }),
  };
  const ended: WebhookEvent = {
    ...about,
    ...{ id: createEventId(turn.id, completedAt, 2), type: toEndType(status), at: completedAt },
    data: toData(status, completedAt * placesOfMoment),
    text: { title: session.title, ...written },
  };
  return [started, ended];
}

function toEndType(status: Turn["status"]): WebhookEventType {
  switch (status) {
    case "awaiting_response":
      return "job.awaiting_response";
    case "failed":
      return "job.failed";
    case "cancelled":
      return "job.cancelled";
    default:
      return "job.completed";
  }
}

const toSessionData = ({ id, projectId }: Session, publicUrl: string) => ({
  sessionId: id,
  sessionUrl: `${publicUrl}/api/projects/${projectId}/chat-sessions/${id}`,
});
