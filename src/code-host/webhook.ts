// GitHub's webhooks: parses the events that concern sessions.
import * as z from "zod";
import { createJsonPicker } from "../lib/json-picker.ts";
import type { CheckEvent, PullRequestEvent } from "../session/rules/pull-request/code-host-event.ts";
import { type ReviewEvent, reviewStates } from "../session/rules/pull-request/review-event.ts";
import { commentPaths, parseComment } from "./comment-event.ts";
import { getPullRequestState } from "./github/github.ts";
import type { Webhook, WebhookRepository } from "./rules/webhook.ts";

const time = z.string().transform((text, context) => {
  const at = Date.parse(text);
  if (Number.isNaN(at)) context.addIssue("not a time");
  return at;
});
const repository = z
  .object({ id: z.int(), full_name: z.string() })
  .transform(({ id, full_name }): WebhookRepository => ({ repositoryId: id, repository: full_name }));

const pullRequestEvent = z.object({
  repository,
  pull_request: z.object({
    number: z.int(),
    html_url: z.url({ protocol: /^https?$/ }),
    state: z.enum(["open", "closed"]),
    draft: z.boolean().default(false),
    merged: z.boolean().nullish(),
    merged_by: z.object({ id: z.int(), login: z.string() }).nullish(),
    updated_at: time,
    base: z.object({ ref: z.string() }).nullish(),
    // `repo` is null once the fork has been deleted.
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.int() }).nullable() }),
  }),
});

const proposedEvent = z.object({
  pull_request: z.object({
    number: z.int(),
    html_url: z.url({ protocol: /^https?$/ }),
    state: z.string(),
    draft: z.boolean().default(false),
    title: z.string(),
    body: z.string().nullish(),
    user: z.object({ login: z.string() }).nullish(),
    author_association: z.string().nullish(),
    labels: z.array(z.object({ name: z.string() })).default([]),
    base: z.object({ ref: z.string() }),
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.int() }).nullable() }),
  }),
  label: z.object({ name: z.string() }).nullish(),
  sender: z.object({ id: z.int(), login: z.string(), type: z.string() }).nullish(),
});

const reviewEvent = z.object({
  action: z.string(),
  repository,
  review: z.object({
    id: z.int(),
    state: z.string(),
    body: z.string().nullable(),
    html_url: z.url({ protocol: /^https?$/ }),
    // Null once the account is deleted.
    user: z.object({ id: z.int(), login: z.string(), type: z.string() }).nullable(),
    author_association: z.string().nullish(),
  }),
  pull_request: z.object({
    number: z.int(),
    head: z.object({ ref: z.string(), repo: z.object({ id: z.int() }).nullable() }),
  }),
});

const issueEvent = z.object({
  issue: z.object({
    number: z.int(),
    html_url: z.url({ protocol: /^https?$/ }),
    state: z.string(),
    title: z.string(),
    body: z.string().nullish(),
    user: z.object({ login: z.string() }).nullish(),
    author_association: z.string().nullish(),
    // GitHub has this for pull requests, which are issues, too.
    pull_request: z.unknown().optional(),
  }),
  label: z.object({ name: z.string() }).nullish(),
  assignee: z.object({ login: z.string() }).nullish(),
  sender: z.object({ id: z.int(), login: z.string(), type: z.string() }),
});

const pushEvent = z.object({ repository, ref: z.string(), deleted: z.boolean(), forced: z.boolean() });

const pullRequests = z.array(
  z.object({ head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.int() }) }) }),
);
const conclusion = z.string().nullable();
/** Null for the branch of a fork, for some apps. */
const headBranch = z.string().nullish();

const repositoryEvent = z.looseObject({ action: z.string(), repository });

const checkSuiteEvent = z.object({
  action: z.string(),
  repository,
  check_suite: z.object({
    id: z.int(),
    head_sha: z.string(),
    head_branch: headBranch,
    created_at: time,
    updated_at: time,
    conclusion,
    pull_requests: pullRequests,
  }),
});

const checkRunEvent = z.object({
  action: z.string(),
  repository,
  check_run: z.object({
    name: z.string(),
    head_sha: z.string(),
    started_at: time,
    completed_at: z.string().nullable(),
    conclusion,
    app: z.object({ id: z.int() }).nullish(),
    check_suite: z.object({ head_branch: headBranch }).nullish(),
    pull_requests: pullRequests,
  }),
});

const statusEvent = z.object({
  repository,
  sha: z.string(),
  context: z.string(),
  state: z.enum(["error", "failure", "pending", "success"]),
  created_at: time,
  updated_at: time,
  branches: z.array(z.object({ name: z.string(), commit: z.object({ sha: z.string() }) })),
});

const failures = ["action_required", "cancelled", "failure", "startup_failure", "timed_out"];
/** The actions of a check that starts, or starts again. */
const startActions = ["created", "requested", "rerequested", "queued", "in_progress"];

/**
 * The parser of each kind of event that can concern sessions. It returns null for an event that
 * does not.
 */
const readers: Record<string, (payload: unknown) => Webhook | null> = {
  pull_request(payload) {
    const { repository, pull_request: report } = pullRequestEvent.parse(payload);
    const { number, html_url: url, head, base, updated_at: changedAt, merged_by: merger } = report;
    // A branch of a fork may have the same name as a session's branch.
    if (head.repo?.id !== repository.repositoryId) return null;
    const state = getPullRequestState({ ...report, merged: report.merged === true });
    const event: PullRequestEvent = {
      type: "pull-request",
      number,
      url,
      state,
      base: base?.ref ?? null,
      sha: head.sha,
      changedAt,
      ...(merger ? { mergedBy: { hostUserId: String(merger.id), login: merger.login } } : {}),
    };
    return { type: "report", repository, branches: [head.ref], event };
  },
  pull_request_review(payload) {
    const { action, repository, review, pull_request: proposed } = reviewEvent.parse(payload);
    const state = reviewStates.find((known) => known === review.state);
    const { id: reviewId, body, html_url: url, user, author_association } = review;
    const isOwn = proposed.head.repo?.id === repository.repositoryId;
    // A program may have an account that has the access of a member.
    if (action !== "submitted" || state === undefined || !isOwn || user?.type !== "User") return null;
    const by = { hostUserId: String(user.id), login: user.login };
    const { number, head } = proposed;
    const of = toAssociation(author_association);
    const event: ReviewEvent = { type: "review", number, reviewId, state, body: body ?? "", url, by, ...of };
    return { type: "report", repository, branches: [head.ref], event };
  },
  issues(payload) {
    const { action, repository } = repositoryEvent.parse(payload);
    if (action !== "labeled" && action !== "assigned") return null;
    const { issue, label, assignee, sender } = issueEvent.parse(payload);
    const { number, html_url: url, title, body, user } = issue;
    const given =
      action === "labeled" ? label && { label: label.name } : assignee && { label: "", assignee: assignee.login };
    if (!given || issue.state !== "open" || issue.pull_request) return null;
    // A program may have an account that has the access of a member.
    if (sender.type !== "User") return null;
    const by = { hostUserId: String(sender.id), login: sender.login };
    const texts = { title, body: body ?? "", author: user?.login ?? null, ...toAssociation(issue.author_association) };
    return { type: "labeled", repository, issue: { number, url, ...texts, ...given, by } };
  },
  issue_comment: (payload) => parseComment("issue_comment", repositoryEvent.parse(payload)),
  pull_request_review_comment: (payload) => parseComment("pull_request_review_comment", repositoryEvent.parse(payload)),
  push(payload) {
    const { repository, ref, deleted, forced } = pushEvent.parse(payload);
    const [, branch] = /^refs\/heads\/(.+)$/s.exec(ref) ?? [];
    if (branch === undefined || deleted) return null;
    return { type: "push", repository, branch, isForced: forced };
  },
  repository(payload) {
    const { action, repository } = repositoryEvent.parse(payload);
    return action === "renamed" || action === "transferred" ? { type: "renamed", repository } : null;
  },
  check_suite(payload) {
    const { action, repository, check_suite: suite } = checkSuiteEvent.parse(payload);
    const times = { begunAt: suite.created_at, changedAt: suite.updated_at };
    const report = { ...suite, action, branch: suite.head_branch };
    return toCheckEvent(repository, `suite ${suite.id}`, report, times);
  },
  check_run(payload) {
    const { action, repository, check_run: run } = checkRunEvent.parse(payload);
    const { started_at: begunAt, completed_at: completedAt } = run;
    const times = { begunAt, changedAt: Date.parse(completedAt ?? "") || begunAt };
    const report = { ...run, action, branch: run.check_suite?.head_branch };
    return toCheckEvent(repository, `run ${run.app?.id} ${run.name}`, report, times);
  },
  status(payload) {
    const report = statusEvent.parse(payload);
    const { sha, state, created_at: begunAt, updated_at: changedAt } = report;
    const branches = report.branches.filter(({ commit }) => commit.sha === sha).map(({ name }) => name);
    const hasFailed = state === "failure" || state === "error";
    const check = `status ${report.context}`;
    const begun = state === "pending" && { hasStarted: true as const };
    const event: CheckEvent = { type: "check", check, sha, begunAt, changedAt, hasFailed, ...begun };
    return { type: "report", repository: report.repository, branches, event };
  },
};

const toAssociation = (association: string | null | undefined) => (association ? { association } : {});

/** What triggers read of a pull request. Null if it concerns none. */
function parseProposed(payload: unknown): Webhook | null {
  const { action, repository } = repositoryEvent.parse(payload);
  if (!["labeled", "opened", "ready_for_review"].includes(action)) return null;
  const { pull_request: pull, label, sender } = proposedEvent.parse(payload);
  const { number, html_url: url, title, body, user, base, head } = pull;
  const set = action === "labeled" ? label?.name : null;
  // A draft counts once it is ready. A program may have an account that has the access of a member.
  if (set === undefined || pull.state !== "open" || sender?.type !== "User") return null;
  if (action === "opened" && pull.draft) return null;
  const by = { hostUserId: String(sender.id), login: sender.login };
  const texts = { title, body: body ?? "", author: user?.login ?? null, ...toAssociation(pull.author_association) };
  const labels = pull.labels.map(({ name }) => name);
  const isFork = head.repo?.id !== repository.repositoryId;
  const at = { branch: head.ref, base: base.ref, sha: head.sha };
  return { type: "proposed", repository, pull: { number, url, ...texts, label: set, by, labels, isFork, ...at } };
}

const within = (parent: string, ...paths: string[]) => paths.map((path) => `${parent}.${path}`);
const everywhere = ["action", ...within("repository", "id", "full_name")];
/**
 * The paths that are read of each kind of event. The path of a parent itself is included if the
 * parent may be null.
 */
const readPaths: Record<string, readonly string[]> = {
  pull_request: [
    ...within("pull_request", "number", "html_url", "state", "draft", "merged", "updated_at"),
    ...within("pull_request", "merged_by", "merged_by.id", "merged_by.login", "base", "base.ref"),
    ...within("pull_request.head", "ref", "sha", "repo", "repo.id"),
    ...within("pull_request", "title", "body", "user", "user.login", "author_association", "labels"),
    ...["label", "label.name", ...within("sender", "id", "login", "type")],
  ],
  pull_request_review: [
    ...within("review", "id", "state", "body", "html_url", "user", "user.id", "user.login", "user.type"),
    ...["review.author_association", "pull_request.number", ...within("pull_request.head", "ref", "repo", "repo.id")],
    ...(commentPaths.pull_request_review ?? []),
  ],
  issue_comment: commentPaths.issue_comment ?? [],
  pull_request_review_comment: commentPaths.pull_request_review_comment ?? [],
  issues: [
    ...within("issue", "number", "html_url", "state", "title", "body", "user", "user.login", "pull_request"),
    ...["issue.author_association", "assignee", "assignee.login"],
    ...["label", "label.name", ...within("sender", "id", "login", "type")],
  ],
  push: ["ref", "deleted", "forced"],
  repository: [],
  check_suite: within(
    "check_suite",
    ...["id", "head_sha", "head_branch", "created_at", "updated_at", "conclusion", "pull_requests"],
  ),
  check_run: within(
    "check_run",
    ...["name", "head_sha", "started_at", "completed_at", "conclusion", "app", "app.id", "pull_requests"],
    ...["check_suite", "check_suite.head_branch"],
  ),
  status: ["sha", "context", "state", "created_at", "updated_at", "branches"],
};
/** Enough for the pull requests of a commit. */
const readValueBytes = 64 * 1_024;
/** Enough for the longest text with its quotes, where each character is escaped. */
const readTextBytes = 6 * 65_536 + 2;
const withTexts = ["issues", "pull_request", ...Object.keys(commentPaths)];

export interface WebhookReader {
  read(bytes: Uint8Array): void;
  /** False for a payload that is not a JSON object or is incomplete. */
  isWhole(): boolean;
  /**
   * The webhook; null for one that concerns no session. Throws a ZodError for a payload that
   * GitHub's documentation does not allow.
   */
  end(): Webhook | null;
  /** The comment in the same payload; null without one that mentions somebody. */
  endComment(): Webhook | null;
  /** What triggers read of a pull request in the same payload; null for one that concerns none. */
  endProposed(): Webhook | null;
}

/**
 * Creates a reader of a streamed payload, because a push lists every commit and can be megabytes
 * long. Null for a kind that concerns no session.
 */
export function createWebhookReader(name: string): WebhookReader | null {
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (reader === undefined) return null;
  const picker = createJsonPicker(
    [...everywhere, ...(readPaths[name] ?? [])],
    withTexts.includes(name) ? readTextBytes : readValueBytes,
  );
  const readPayload = () => nested(picker.picked());
  return {
    read: picker.read,
    isWhole: picker.isWhole,
    end: () => reader(readPayload()),
    endComment: () =>
      name === "pull_request_review" ? parseComment(name, repositoryEvent.parse(readPayload())) : null,
    endProposed: () => (name === "pull_request" ? parseProposed(readPayload()) : null),
  };
}

/**
 * All events of a payload. A review is also a comment, and a pull request of a session may also
 * start one.
 */
export function listWebhooks(reader: WebhookReader): Webhook[] {
  return [reader.end(), reader.endComment(), reader.endProposed()].filter((webhook) => webhook !== null);
}

/** The values at their paths, as an object. */
function nested(values: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [path, value] of values) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    let at = whole;
    for (const name of names) {
      if (typeof at[name] !== "object" || at[name] === null) at[name] = {};
      at = at[name] as Record<string, unknown>;
    }
    at[last] = value;
  }
  return whole;
}

/** True for a kind of event that can concern sessions. */
export function canConcernSessions(name: string): boolean {
  return Object.hasOwn(readers, name);
}

interface Checked {
  action: string;
  head_sha: string;
  conclusion: string | null;
  pull_requests: z.infer<typeof pullRequests>;
  branch: string | null | undefined;
}

/**
 * The branches that a check concerns: those of the commit's pull requests whose head is still that
 * commit. Without a pull request, it concerns the pushed branch once it has ended: its start is
 * shown nowhere.
 */
function toCheckEvent(
  repository: WebhookRepository,
  check: string,
  { action, head_sha: sha, conclusion, pull_requests: proposed, branch }: Checked,
  times: Pick<CheckEvent, "begunAt" | "changedAt">,
): Webhook | null {
  const hasStarted = conclusion === null && startActions.includes(action);
  if (!hasStarted && (action !== "completed" || conclusion === null || conclusion === "stale")) return null;
  const hasFailed = conclusion !== null && failures.includes(conclusion);
  const event: CheckEvent = { type: "check", check, sha, ...times, hasFailed, ...(hasStarted && { hasStarted }) };
  if (proposed.length === 0 && branch && !hasStarted) return { type: "check-of-branch", repository, branch, event };
  const own = proposed.filter(({ head }) => head.repo.id === repository.repositoryId && head.sha === sha);
  return { type: "report", repository, branches: own.map(({ head }) => head.ref), event };
}
