// A pull request of the code host, and its form on the wire.
import { findAccount, getAssociation, toWireLabels } from "./issues.ts";
import { findPerson, toWirePeople, toWirePerson } from "./people.ts";

export interface SubmittedReview {
  login: string;
  state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED";
  /** Missing for those that were stored before reviews had texts. */
  body?: string;
  comments?: SubmittedComment[];
  /** The logins of those who reacted with eyes. */
  reactions?: string[];
}

/** A comment of a review, as it was given and as it is listed. */
export interface SubmittedComment {
  path: string;
  body: string;
  line?: number;
  start_line?: number;
  side?: "LEFT" | "RIGHT";
}

export interface PullRequest {
  number: number;
  title: string;
  body: string | null;
  head: string;
  base: string;
  isDraft: boolean;
  state: "open" | "closed";
  isMerged: boolean;
  /** The login of who opened it. Missing for those that were stored before they had authors. */
  author?: string;
  /** Missing for those that were stored before they had labels. */
  labels?: string[];
  /** The login of the user who merged it. */
  mergedBy?: string;
  /** The logins of the requested reviewers. */
  reviewers?: string[];
  /** Oldest first. */
  reviews?: SubmittedReview[];
  /** The time of its last change, as an ISO date. */
  updatedAt: string;
}

/** The comments of the reviews, as GitHub has them among all of the pull request. */
export function toWireReviewComments({ reviews = [] }: Pick<PullRequest, "reviews">) {
  return reviews.flatMap(({ comments = [] }, review) =>
    comments.map((comment, place) => ({
      ...{ id: (review + 1) * 1_000 + place, pull_request_review_id: review + 1, line: null },
      ...comment,
    })),
  );
}

/** The GraphQL node id of a pull request. */
function nodeId(repository: string, number: number): string {
  return `PR_${Buffer.from(`${repository}#${number}`).toString("base64url")}`;
}

/** Parses a node id; null if it is invalid. */
export function parseNodeId(id: string): { repository: string; number: number } | null {
  const name = Buffer.from(id.slice("PR_".length), "base64url").toString("utf8");
  const [, repository, number] = /^([^#]+)#(\d+)$/.exec(name) ?? [];
  return id.startsWith("PR_") && repository && number ? { repository, number: Number(number) } : null;
}

/** The GraphQL node id of a comment or a review. */
export function createSubjectId(kind: "C" | "R", repository: string, number: number, place: number): string {
  return `${kind}_${Buffer.from(`${repository}#${number}#${place}`).toString("base64url")}`;
}

/** Parses such an id; null if it is invalid. */
export function parseSubjectId(id: string): { repository: string; number: number; place: number } | null {
  const name = Buffer.from(id.slice("C_".length), "base64url").toString("utf8");
  const [, repository, number, place] = /^([^#]+)#(\d+)#(\d+)$/.exec(name) ?? [];
  return repository && /^[CR]_/.test(id) ? { repository, number: Number(number), place: Number(place) } : null;
}

/** The head commit of each branch. */
export type Heads = ReadonlyMap<string, string>;

/** Git's id for no commit. */
export const nothing = "0".repeat(40);

/** The fields of a REST pull request that clients read. */
export function toWirePullRequest(url: string, repository: string, pullRequest: PullRequest, heads: Heads) {
  const {
    number,
    title,
    body,
    head,
    base,
    isDraft,
    state,
    isMerged,
    author,
    labels = [],
    mergedBy,
    updatedAt,
    reviewers = [],
  } = pullRequest;
  const merger = mergedBy === undefined ? null : findPerson(mergedBy);
  return {
    number,
    node_id: nodeId(repository, number),
    url: `${url}/repos/${repository}/pulls/${number}`,
    html_url: `${url}/${repository}/pull/${number}`,
    title,
    body,
    state,
    draft: isDraft,
    merged: isMerged,
    merged_by: merger && toWirePerson(merger),
    updated_at: updatedAt,
    user: author === undefined ? null : findAccount(author),
    author_association: getAssociation(author ?? ""),
    labels: toWireLabels(labels),
    requested_reviewers: toWirePeople(reviewers),
    head: { ref: head, sha: heads.get(head) ?? nothing },
    base: { ref: base, sha: heads.get(base) ?? nothing },
  };
}
