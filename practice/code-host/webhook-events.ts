// The code host's webhook events in GitHub's format: pushes, pull requests, issues and checks.
import type { BareRepository } from "./bare-repository.ts";
import type { CheckRun, CommitStatus } from "./checks.ts";
import { type Comment, toWireComment } from "./comments.ts";
import { findAccount, getAssociation, type Issue, type IssueEvent, toWireIssue, toWireLabels } from "./issues.ts";
import { findPerson, toWirePerson, usualLogin } from "./people.ts";
import {
  createSubjectId,
  type Heads,
  nothing,
  type PullRequest,
  type SubmittedReview,
  toWirePullRequest,
} from "./pull-request.ts";
import type { Webhooks } from "./webhooks.ts";

export interface Announcements {
  /** `by` is the login of who did it. */
  pullRequest(repository: string, before: PullRequest | null, after: PullRequest, by: string): Promise<void>;
  /** Sends a push event for every branch that has changed since `before`. */
  pushes(repository: string, before: Map<string, string>, by: string): Promise<void>;
  /** Sends the event of a renamed repository. */
  renamed(repository: string): void;
  issue(repository: string, event: IssueEvent): void;
  comment(repository: string, action: "created" | "edited", comment: Comment): Promise<void>;
  status(repository: string, status: CommitStatus): Promise<void>;
  checkRun(repository: string, run: CheckRun): Promise<void>;
}

interface Source {
  /** The code host's address. */
  url(): string;
  webhooks: Webhooks;
  open(repository: string): BareRepository;
  getId(repository: string): number;
  listPullRequests(repository: string): readonly PullRequest[];
  findIssue(repository: string, number: number): Issue | null;
}

/** The app that all check runs belong to. */
const checkApp = { id: 1, slug: "practice-checks" };
/** The login of who reports checks and statuses. */
const checkReporter = "practice[bot]";

/** Creates the announcements of a code host. */
export function createAnnouncements({
  url,
  webhooks,
  open,
  getId,
  listPullRequests,
  findIssue,
}: Source): Announcements {
  const toWireRepository = (name: string) => ({ id: getId(name), full_name: name });

  /** What every event has: where it happened, and who did it. */
  const createOrigin = (name: string, by: string) => ({ repository: toWireRepository(name), sender: findAccount(by) });

  async function announcePullRequest(
    name: string,
    { action, label }: PullRequestAction,
    pullRequest: PullRequest,
    heads: Heads,
    by: string,
  ) {
    const { head, base, ...wire } = toWirePullRequest(url(), name, pullRequest, heads);
    const repository = toWireRepository(name);
    const pull_request = { ...wire, head: { ...head, repo: repository }, base: { ...base, repo: repository } };
    const [named = null] = toWireLabels(label === undefined ? [] : [label]);
    const of = { action, number: pullRequest.number, pull_request, ...createOrigin(name, by) };
    webhooks.send("pull_request", { ...of, ...(named && { label: named }) });
  }

  /** Sends the event of a review that was submitted. Its number in the list is its id. */
  async function announceReview(name: string, pullRequest: PullRequest, review: SubmittedReview) {
    const { head, ...wire } = toWirePullRequest(url(), name, pullRequest, await open(name).heads());
    const repository = toWireRepository(name);
    const person = findPerson(review.login);
    const id = pullRequest.reviews?.length ?? 0;
    const html_url = `${wire.html_url}#pullrequestreview-${id}`;
    webhooks.send("pull_request_review", {
      action: "submitted",
      review: {
        ...{ id, node_id: createSubjectId("R", name, pullRequest.number, id), html_url },
        ...{ user: person && toWirePerson(person), body: review.body ?? null },
        author_association: getAssociation(review.login),
        ...{ state: review.state.toLowerCase(), commit_id: head.sha, submitted_at: pullRequest.updatedAt },
      },
      pull_request: { ...wire, head: { ...head, repo: repository } },
      ...createOrigin(name, review.login),
    });
  }

  return {
    async pullRequest(name, before, after, by) {
      const review = after.reviews?.at(-1);
      const isReviewed = review && (before?.reviews?.length ?? 0) < (after.reviews?.length ?? 0);
      if (webhooks.hasReceiver() && isReviewed) await announceReview(name, after, review);
      const actions = webhooks.hasReceiver() ? listActions(before, after) : [];
      if (actions.length === 0) return;
      const heads = await open(name).heads();
      for (const action of actions) await announcePullRequest(name, action, after, heads, by);
    },
    async pushes(name, before, by) {
      if (!webhooks.hasReceiver()) return;
      const repository = open(name);
      const heads = await repository.heads();
      for (const ref of new Set([...before.keys(), ...heads.keys()])) {
        const [from = nothing, to = nothing] = [before.get(ref), heads.get(ref)];
        if (from === to) continue;
        const isMove = from !== nothing && to !== nothing;
        const forced = isMove && !(await repository.isWithin(from, to));
        const marks = { created: from === nothing, deleted: to === nothing, forced };
        webhooks.send("push", {
          ref: `refs/heads/${ref}`,
          before: from,
          after: to,
          ...marks,
          ...createOrigin(name, by),
        });
        const proposed = listPullRequests(name).filter(({ head, state }) => head === ref && state === "open");
        for (const one of proposed) await announcePullRequest(name, { action: "synchronize" }, one, heads, by);
      }
    },
    renamed(name) {
      webhooks.send("repository", { action: "renamed", ...createOrigin(name, usualLogin) });
    },
    issue(name, { action, issue, label, assignee, by }) {
      const wire = toWireIssue(url(), name, issue);
      const named = wire.labels.find((one) => one.name === label) ?? { id: 0, name: label };
      const of = { issue: wire, ...createOrigin(name, by) };
      const given = assignee === undefined ? {} : { assignee: findAccount(assignee) };
      webhooks.send("issues", { action, ...of, ...(label === undefined ? {} : { label: named }), ...given });
    },
    async comment(name, action, comment) {
      if (!webhooks.hasReceiver()) return;
      const wire = toWireComment(url(), name, comment);
      const of = { action, comment: wire, ...createOrigin(name, comment.author) };
      const issue = findIssue(name, comment.number);
      if (issue) return webhooks.send("issue_comment", { ...of, issue: toWireIssue(url(), name, issue) });
      const proposed = listPullRequests(name).find(({ number }) => number === comment.number);
      if (!proposed) return;
      const { head, ...pull } = toWirePullRequest(url(), name, proposed, await open(name).heads());
      const { number, html_url, title, body, state, user, author_association, labels, url: api } = pull;
      const texts = { number, html_url, title, body, state, user, author_association, labels };
      const asIssue = { ...texts, pull_request: { url: api } };
      if (comment.line === undefined) return webhooks.send("issue_comment", { ...of, issue: asIssue });
      const pull_request = { ...pull, head: { ...head, repo: of.repository } };
      webhooks.send("pull_request_review_comment", { ...of, pull_request });
    },
    async status(name, { sha, state, context }) {
      const heads = [...(await open(name).heads())].filter(([, head]) => head === sha);
      const branches = heads.map(([ref, head]) => ({ name: ref, commit: { sha: head } }));
      const at = new Date().toISOString();
      const times = { created_at: at, updated_at: at };
      webhooks.send("status", { sha, state, context, branches, ...times, ...createOrigin(name, checkReporter) });
    },
    async checkRun(name, { sha: head_sha, status, conclusion, name: checkName }) {
      const heads = await open(name).heads();
      const repository = toWireRepository(name);
      const proposed = listPullRequests(name)
        .filter(({ head, state }) => state === "open" && heads.get(head) === head_sha)
        .map(({ number, head }) => ({ number, head: { ref: head, sha: head_sha, repo: repository } }));
      const at = new Date().toISOString();
      const times = { started_at: at, completed_at: status === "completed" ? at : null };
      const [head_branch = null] = [...heads].filter(([, head]) => head === head_sha).map(([ref]) => ref);
      const kin = { app: checkApp, check_suite: { head_sha, head_branch }, pull_requests: proposed };
      const check_run = { name: checkName, head_sha, status, conclusion, ...times, ...kin };
      const action = status === "completed" ? "completed" : "created";
      webhooks.send("check_run", { action, check_run, ...createOrigin(name, checkReporter) });
    },
  };
}

interface PullRequestAction {
  action: string;
  /** The name of the label that was set or removed. */
  label?: string;
}

/** The events of a change, in their order. */
function listActions(before: PullRequest | null, after: PullRequest): PullRequestAction[] {
  const [old, now] = [before?.labels ?? [], after.labels ?? []];
  const action = findAction(before, after);
  return [
    ...(action === null ? [] : [{ action }]),
    ...now.filter((label) => !old.includes(label)).map((label) => ({ action: "labeled", label })),
    ...old.filter((label) => !now.includes(label)).map((label) => ({ action: "unlabeled", label })),
  ];
}

function findAction(before: PullRequest | null, after: PullRequest): string | null {
  if (before === null) return "opened";
  if (before.state !== after.state) return after.state === "closed" ? "closed" : "reopened";
  if (before.isDraft !== after.isDraft) return after.isDraft ? "converted_to_draft" : "ready_for_review";
  if ((before.reviewers ?? []).length !== (after.reviewers ?? []).length)
    return (before.reviewers ?? []).length < (after.reviewers ?? []).length
      ? "review_requested"
      : "review_request_removed";
  return null;
}
