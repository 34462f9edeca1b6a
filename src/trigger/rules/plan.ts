// What a trigger makes of an event: the cause that counts once, the place that has one session, and
// the material of the message.
import type { HostComment, LabeledIssue, ProposedPullRequest } from "../../code-host/rules/webhook.ts";
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import { isEnded, type SessionStatus } from "../../session/rules/status.ts";
import { isMet } from "./condition.ts";
import { type Quote, toVisibleMarkdown } from "./material.ts";
import type { SkipReason } from "./outcome.ts";
import { createPlaceTitle, readPath, toQuotedJson } from "./request.ts";
import type { Trigger } from "./trigger.ts";

export interface Place {
  kind: string;
  externalId: string;
  /** That of an issue or a pull request; missing for any other place. */
  number?: number;
}

export interface Plan {
  /** Identical for all reports of it; null if each report counts. */
  cause: string | null;
  /** Null for a session of its own. */
  place: Place | null;
  title: string;
  quotes: Quote[];
}

/** The plan for a label on an issue, or for its assignment. */
export function createLabelPlan(
  { name }: Trigger,
  { issue, repositoryId, delivery }: { issue: LabeledIssue; repositoryId: number; delivery: string },
): Plan {
  const { number, label, assignee } = issue;
  return {
    cause:
      assignee === undefined
        ? createLabelCause(number, label, delivery)
        : `assigned ${number} ${assignee.toLowerCase()} ${delivery}`,
    place: createHostPlace("issue", repositoryId, number),
    title: createPlaceTitle(name, `#${number}`),
    quotes: listOpenedQuotes("issue", issue),
  };
}

/** Each delivery of a label counts. */
const createLabelCause = (number: number, label: string, delivery: string) =>
  `label ${number} ${label.toLowerCase()} ${delivery}`;

/** A plan that may do nothing. */
interface SkippablePlan extends Plan {
  /** Why it does nothing; null if it does something. */
  skip: SkipReason | null;
}

export interface PullRequestPlan extends SkippablePlan {
  /** Where a new session starts. */
  targetBranch: string;
}

/**
 * The plan for a pull request. `ownerId` is the session that opened it. A label that a member sets
 * is for that session; its own pull request needs no other one that reviews it.
 */
export function createPullRequestPlan(
  { name }: Trigger,
  {
    pull,
    repositoryId,
    delivery,
    ownerId,
  }: { pull: ProposedPullRequest; repositoryId: number; delivery: string; ownerId: string | null },
): PullRequestPlan {
  const { number, label, sha, branch, base } = pull;
  const isOwn = ownerId !== null && label === null;
  return {
    cause: label === null ? `pull_request ${number} ${sha}` : createLabelCause(number, label, delivery),
    place: createHostPlace("pull_request", repositoryId, number),
    title: createPlaceTitle(name, `#${number}`),
    quotes: listOpenedQuotes("pull_request", pull, ` from ${branch} into ${base}`),
    targetBranch: branch,
    skip: pull.isFork ? "fork" : isOwn ? "not_ours" : null,
  };
}

/**
 * The plan for a request. A signed one has an id, and counts once. One that a filter leaves out
 * needs no place and no cause.
 */
export function createRequestPlan(
  { id, name, when }: Trigger,
  { json, webhookId }: { json: unknown; webhookId: string | null },
): SkippablePlan | Refusal {
  if (!when.json.every((condition) => isMet(json, condition)))
    return { cause: null, place: null, title: name, quotes: [], skip: "filters" };
  const cause = readPath(json, when.cause);
  if (isRefusal(cause)) return cause;
  const place = readPath(json, when.place);
  if (isRefusal(place)) return place;
  return {
    cause: cause ?? (webhookId === null ? null : `webhook ${webhookId}`),
    // Another trigger's text means another place.
    place: place === null ? null : { kind: "http", externalId: `${id} ${place}` },
    title: createPlaceTitle(name, place),
    quotes: [{ title: "The body of the request:", text: toQuotedJson(json) }],
    skip: null,
  };
}

/** The plan for a mention: one comment counts once. */
export function createMentionPlan(
  { name }: Trigger,
  {
    comment: { kind, id, on },
    repositoryId,
    causeEnd,
    quotes,
  }: { comment: HostComment; repositoryId: number; causeEnd: string; quotes: Quote[] },
): Plan {
  return {
    cause: `comment ${kind} ${on.number} ${id}${causeEnd}`,
    place: createHostPlace(on.kind, repositoryId, on.number),
    title: createPlaceTitle(name, `#${on.number}`),
    quotes,
  };
}

/** The cause of the failed checks of a commit. */
export const createChecksCause = (sessionId: string, sha: string): string => `checks ${sessionId} ${sha}`;

/** The cause of a review. */
export const createReviewCause = (sessionId: string, reviewId: number): string => `review ${sessionId} ${reviewId}`;

/** An issue or a pull request has one session, for labels, mentions and all else. */
export function createHostPlace(kind: "issue" | "pull_request", repositoryId: number, number: number): Required<Place> {
  return { kind, externalId: `${repositoryId}#${number}`, number };
}

type Opened = Pick<LabeledIssue, "number" | "title" | "body" | "author">;

/**
 * Title and text of an issue or a pull request. Each is cleaned by itself, so that the title does
 * not hide the text.
 */
export function listOpenedQuotes(
  kind: "issue" | "pull_request",
  { number, title, body, author }: Opened,
  where = "",
): Quote[] {
  const noun = kind === "issue" ? "Issue" : "Pull request";
  const opened = { title: `${noun} #${number}${where}, opened by ${author ?? "a deleted account"}:`, text: title };
  return body.trim() === "" ? [opened] : [opened, { title: "Its text:", text: toVisibleMarkdown(body) }];
}

/** How a run's cause is stored. A cause of its own counts once as well. */
export function getCauseName(cause: string | null, runId: string): string {
  return cause === null ? `run ${runId}` : `cause ${cause}`;
}

/** What happens to a message for a place, by the status of the place's session. */
export function findStep(status: SessionStatus | null): "begin" | "send" | "backlog" {
  if (status === null || isEnded(status)) return "begin";
  return status === "backlog" ? "backlog" : "send";
}
