// The code host's REST endpoints for commits: comparisons, statuses and check runs.

import type { BareRepository } from "./bare-repository.ts";
import type { CheckOutput, CheckRun, Checks, CommitStatus } from "./checks.ts";
import { type ApiAnswer, getPage, notFound, unprocessable } from "./rest.ts";
import type { Announcements } from "./webhook-events.ts";

export interface CommitCall {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

interface RestParts {
  repository: BareRepository;
  announcements: Announcements;
  checks: Checks;
}

const commitPath = /^\/repos\/([^/]+\/[^/]+)\/(compare|statuses|check-runs|commits)(?:\/(.+))?$/;

/** Returns the repository of a path about commits; null for any other path. */
export function parseCommitsPath(path: string): string | null {
  return commitPath.exec(path)?.[1] ?? null;
}

/** Handles a call on a repository that exists. */
export async function handleCommits(
  name: string,
  { repository, announcements, checks }: RestParts,
  { method, path, query, body }: CommitCall,
): Promise<ApiAnswer> {
  const [, , kind, rest = ""] = commitPath.exec(path) ?? [];
  switch (`${method} ${kind}`) {
    case "GET compare": {
      const [base = "", branch = ""] = rest.split("...").map(decodeURIComponent);
      const compared = await repository.compare(base, branch);
      if (!compared) return notFound;
      const { baseId, behindBy: behind_by, aheadBy: ahead_by } = compared;
      const base_commit = { sha: baseId };
      return { status: 200, body: { base_commit, ahead_by, behind_by, total_commits: ahead_by } };
    }
    case "GET commits": {
      const [, ref = "", list] = /^(.+)\/(status|check-runs)$/.exec(rest) ?? [];
      const sha = await repository.commitAt(decodeURIComponent(ref));
      if (!list) return notFound;
      if (sha === null) return unprocessable(`No commit found for SHA: ${decodeURIComponent(ref)}`);
      if (list === "status") return combinedStatus(checks.listStatuses(name, sha), sha, query);
      const runs = checks.listRuns(name, sha);
      return { status: 200, body: { total_count: runs.length, check_runs: getPage(runs, query).map(toWireRun) } };
    }
    case "GET check-runs": {
      const [, id] = /^(\d+)\/annotations$/.exec(rest) ?? [];
      const run = checks.findRun(name, Number(id));
      return run ? { status: 200, body: getPage(run.output?.annotations ?? [], query) } : notFound;
    }
    case "POST statuses": {
      const status = parseStatus(rest, body);
      if (status === null) return notFound;
      checks.setStatus(name, status);
      await announcements.status(name, status);
      return { status: 201, body: { state: status.state, context: status.context } };
    }
    case "POST check-runs": {
      const run = parseRun(body);
      if (run === null) return unprocessable("Validation Failed");
      checks.setRun(name, run);
      await announcements.checkRun(name, run);
      return { status: 201, body: toWireRun(run) };
    }
    default:
      return notFound;
  }
}

function combinedStatus(statuses: CommitStatus[], sha: string, query: URLSearchParams): ApiAnswer {
  const has = (...wanted: CommitStatus["state"][]) => statuses.some(({ state }) => wanted.includes(state));
  const isPending = statuses.length === 0 || has("pending");
  const state = has("error", "failure") ? "failure" : isPending ? "pending" : "success";
  const page = getPage(statuses, query).map(({ context, state, startedAt, changedAt }) => ({
    ...{ context, state, target_url: null, created_at: startedAt, updated_at: changedAt },
  }));
  return { status: 200, body: { sha, state, statuses: page, total_count: statuses.length } };
}

function toWireRun({ id = 0, sha: head_sha, name, status, conclusion, output, startedAt, changedAt }: CheckRun) {
  const completed_at = status === "completed" ? changedAt : null;
  const { title = null, summary = null, annotations = [] } = output ?? {};
  const reported = { title, summary, text: null, annotations_count: annotations.length };
  return { id, name, head_sha, status, conclusion, output: reported, started_at: startedAt, completed_at };
}

const states: readonly CommitStatus["state"][] = ["error", "failure", "pending", "success"];

function parseStatus(sha: string, { state, context = "default" }: Record<string, unknown>): CommitStatus | null {
  const known = states.find((one) => one === state);
  return known && typeof context === "string" ? { sha, state: known, context } : null;
}

const runStatuses: readonly CheckRun["status"][] = ["queued", "in_progress", "completed"];

/** Parses a check run. One with a conclusion is completed. */
function parseRun(body: Record<string, unknown>): CheckRun | null {
  const { name, head_sha: sha, status = "queued", conclusion } = body;
  if (typeof name !== "string" || typeof sha !== "string") return null;
  const output = parseOutput(body.output);
  if (typeof conclusion === "string") return { sha, name, status: "completed", conclusion, ...output };
  const known = runStatuses.find((one) => one === status);
  return known && known !== "completed" ? { sha, name, status: known, conclusion: null } : null;
}

function parseOutput(given: unknown): Pick<CheckRun, "output"> {
  if (typeof given !== "object" || given === null) return {};
  const { title, summary, annotations } = given as Record<string, unknown>;
  const toTextOrNull = (value: unknown) => (typeof value === "string" ? value : null);
  const listed = Array.isArray(annotations) ? (annotations as CheckOutput["annotations"]) : [];
  return { output: { title: toTextOrNull(title), summary: toTextOrNull(summary), annotations: listed } };
}
