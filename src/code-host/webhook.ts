// GitHub's webhooks: parses the events that concern sessions.
import * as z from "zod";
import type { CheckNews, PullRequestNews } from "../rules/pull-request/code-host-event.ts";
import { stateOf } from "./github/github.ts";

/** A parsed webhook, and the branches that it concerns. */
export type HostEvent =
  | { type: "report"; repository: string; branches: string[]; news: CheckNews | PullRequestNews }
  /** A check of a commit without a pull request. It concerns the branch only while the commit is its head, which the webhook does not say. */
  | { type: "check-of-branch"; repository: string; branch: string; news: CheckNews }
  | { type: "push"; repository: string; branch: string; isForced: boolean };

const time = z.string().transform((text, context) => {
  const at = Date.parse(text);
  if (Number.isNaN(at)) context.addIssue("not a time");
  return at;
});
const repository = z.object({ id: z.int(), full_name: z.string() });

const pullRequestEvent = z.object({
  repository,
  pull_request: z.object({
    number: z.int(),
    html_url: z.url({ protocol: /^https?$/ }),
    state: z.enum(["open", "closed"]),
    draft: z.boolean().default(false),
    merged: z.boolean().nullish(),
    updated_at: time,
    base: z.object({ ref: z.string() }).nullish(),
    // `repo` is null once the fork has been deleted.
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.int() }).nullable() }),
  }),
});

const pushEvent = z.object({ repository, ref: z.string(), deleted: z.boolean(), forced: z.boolean() });

const pullRequests = z.array(
  z.object({ head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.int() }) }) }),
);
const conclusion = z.string().nullable();
/** Some apps leave it null for a branch of a fork. */
const headBranch = z.string().nullish();

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

/** The parser of each kind of event that can concern sessions. It answers null for an event that does not. */
const readers: Record<string, (payload: unknown) => HostEvent | null> = {
  pull_request(payload) {
    const { repository, pull_request: told } = pullRequestEvent.parse(payload);
    const { number, html_url: url, head, base, updated_at: changedAt } = told;
    // A branch of a fork may have the same name as a session's branch.
    if (head.repo?.id !== repository.id) return null;
    const state = stateOf({ ...told, merged: told.merged === true });
    const news: PullRequestNews = {
      about: "pull-request",
      number,
      url,
      state,
      base: base?.ref ?? null,
      sha: head.sha,
      changedAt,
    };
    return { type: "report", repository: repository.full_name, branches: [head.ref], news };
  },
  push(payload) {
    const { repository, ref, deleted, forced } = pushEvent.parse(payload);
    const [, branch] = /^refs\/heads\/(.+)$/s.exec(ref) ?? [];
    if (branch === undefined || deleted) return null;
    return { type: "push", repository: repository.full_name, branch, isForced: forced };
  },
  check_suite(payload) {
    const { action, repository, check_suite: suite } = checkSuiteEvent.parse(payload);
    const times = { begunAt: suite.created_at, changedAt: suite.updated_at };
    const told = { ...suite, branch: suite.head_branch };
    return action === "completed" ? checkOf(repository, `suite ${suite.id}`, told, times) : null;
  },
  check_run(payload) {
    const { action, repository, check_run: run } = checkRunEvent.parse(payload);
    const { started_at: begunAt, completed_at: completedAt } = run;
    const times = { begunAt, changedAt: Date.parse(completedAt ?? "") || begunAt };
    const told = { ...run, branch: run.check_suite?.head_branch };
    return action === "completed" ? checkOf(repository, `run ${run.app?.id} ${run.name}`, told, times) : null;
  },
  status(payload) {
    const told = statusEvent.parse(payload);
    const { sha, state, created_at: begunAt, updated_at: changedAt } = told;
    const branches = told.branches.filter(({ commit }) => commit.sha === sha).map(({ name }) => name);
    const hasFailed = state === "failure" || state === "error";
    const check = `status ${told.context}`;
    const news: CheckNews = { about: "check", check, sha, begunAt, changedAt, hasFailed };
    return { type: "report", repository: told.repository.full_name, branches, news };
  },
};

/** True for a kind of event that can concern sessions. */
export function concernsSessions(event: string): boolean {
  return Object.hasOwn(readers, event);
}

/** Parses a webhook; null for one that concerns no session. Throws a ZodError for a payload that GitHub's description does not allow. */
export function readWebhook(event: string, payload: unknown): HostEvent | null {
  return concernsSessions(event) ? (readers[event]?.(payload) ?? null) : null;
}

interface Checked {
  head_sha: string;
  conclusion: string | null;
  pull_requests: z.infer<typeof pullRequests>;
  branch: string | null | undefined;
}

/** A check concerns the branches of the commit's pull requests whose head is still that commit; without a pull request, the pushed branch. */
function checkOf(
  { id, full_name: name }: z.infer<typeof repository>,
  check: string,
  { head_sha: sha, conclusion, pull_requests: proposed, branch }: Checked,
  times: Pick<CheckNews, "begunAt" | "changedAt">,
): HostEvent | null {
  if (conclusion === null || conclusion === "stale") return null;
  const news: CheckNews = { about: "check", check, sha, ...times, hasFailed: failures.includes(conclusion) };
  if (proposed.length === 0 && branch) return { type: "check-of-branch", repository: name, branch, news };
  const own = proposed.filter(({ head }) => head.repo.id === id && head.sha === sha);
  return { type: "report", repository: name, branches: own.map(({ head }) => head.ref), news };
}
