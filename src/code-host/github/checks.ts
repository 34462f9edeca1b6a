// The checks of a commit at GitHub: the check runs of apps, and commit statuses.
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import type { CheckFailure, Checks } from "../code-host.ts";
import { type Check, checkConclusions, checkStatuses, getCheckOutcome } from "../rules/review.ts";
import { type CallGithub, readPages } from "./call.ts";

interface CheckRuns {
  check_runs: {
    id: number;
    name: string;
    status: string;
    conclusion: string | null;
    html_url?: string | null;
    started_at?: string | null;
    completed_at?: string | null;
    output?: { title: string | null; summary: string | null; annotations_count: number };
  }[];
}

interface Annotation {
  path: string;
  start_line: number;
  message: string | null;
}

interface CombinedStatus {
  statuses: {
    context: string;
    state: string;
    description?: string | null;
    target_url?: string | null;
    created_at?: string;
    updated_at?: string;
  }[];
}

/** Lists the newest check run or status of each name, for a commit or the head of a branch. */
export async function listChecks(
  call: CallGithub,
  repository: string,
  ref: string,
  signal: AbortSignal,
): Promise<Check[] | Refusal> {
  const reported = await readReported(call, repository, ref, signal);
  return isRefusal(reported) ? reported : [...reported.runs.map(ofRun), ...reported.statuses.map(ofStatus)];
}

async function readReported(call: CallGithub, repository: string, ref: string, signal: AbortSignal) {
  const commit = `/repos/${repository}/commits/${encodeURIComponent(ref)}`;
  const [runs, statuses] = await Promise.all([
    readPages(call, `${commit}/check-runs`, (answer: CheckRuns) => answer.check_runs, signal),
    readPages(call, `${commit}/status`, (answer: CombinedStatus) => answer.statuses, signal),
  ]);
  if (isRefusal(runs)) return runs;
  return isRefusal(statuses) ? statuses : { runs, statuses };
}

/** The most failed checks that are read, and those of which the annotations are read. */
const failuresRead = 20;
const annotatedRead = 5;

/** Lists the failed checks of a commit, with what they reported. */
export async function listFailedChecks(
  call: CallGithub,
  repository: string,
  sha: string,
  signal: AbortSignal,
): Promise<CheckFailure[] | Refusal> {
  const reported = await readReported(call, repository, sha, signal);
  if (isRefusal(reported)) return reported;
  const failedRuns = reported.runs.filter((run) => getCheckOutcome(ofRun(run)) === "failed").slice(0, failuresRead);
  const annotated = failedRuns.filter(({ output }) => (output?.annotations_count ?? 0) > 0).slice(0, annotatedRead);
  const annotations = await Promise.all(
    annotated.map(async ({ id }) => {
      const path = `/repos/${repository}/check-runs/${id}/annotations?per_page=50`;
      const found = await call<Annotation[]>({ method: "GET", path }, signal);
      return [id, isRefusal(found) ? [] : found.map(formatAnnotation)] as const;
    }),
  );
  const linesOf = new Map(annotations);
  const ofRuns = failedRuns.map((run) => {
    const { id, name, output } = run;
    const lines = [output?.title, output?.summary, ...(linesOf.get(id) ?? [])];
    const { conclusion, url } = ofRun(run);
    return { name, conclusion: conclusion ?? "failure", url, text: toText(lines) };
  });
  const ofStatuses = reported.statuses
    .filter((status) => getCheckOutcome(ofStatus(status)) === "failed")
    .map((status) => ({
      ...{ name: status.context, conclusion: status.state, url: toPageUrl(status.target_url) },
      text: toText([status.description]),
    }));
  return [...ofRuns, ...ofStatuses].slice(0, failuresRead);
}

const formatAnnotation = ({ path, start_line: line, message }: Annotation) => `${path}:${line} ${message ?? ""}`;

const toText = (lines: readonly (string | null | undefined)[]) =>
  lines.filter((line) => line?.trim()).join("\n") || "It reported no text.";

function ofRun(run: CheckRuns["check_runs"][number]): Check {
  // Apps have further words for a check that has not started.
  const status = checkStatuses.find((known) => known === run.status) ?? "queued";
  return {
    name: run.name,
    status,
    conclusion: status === "completed" ? toConclusion(run.conclusion) : null,
    url: toPageUrl(run.html_url),
    startedAt: toTime(run.started_at),
    completedAt: status === "completed" ? toTime(run.completed_at) : null,
  };
}

function ofStatus(status: CombinedStatus["statuses"][number]): Check {
  const isOver = status.state !== "pending";
  return {
    name: status.context,
    status: isOver ? "completed" : "in_progress",
    conclusion: isOver ? (status.state === "success" ? "success" : "failure") : null,
    url: toPageUrl(status.target_url),
    startedAt: toTime(status.created_at),
    completedAt: isOver ? toTime(status.updated_at) : null,
  };
}

const toConclusion = (given: string | null) => checkConclusions.find((known) => known === given) ?? "failure";

/** The app that reports a check chooses its URL, so only web addresses pass. */
function toPageUrl(given: string | null | undefined): string | null {
  const url = URL.parse(given ?? "");
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : null;
}

function toTime(given: string | null | undefined): number | null {
  const at = Date.parse(given ?? "");
  return Number.isNaN(at) ? null : at;
}

/** Combines the checks of a commit to one result. */
export function getChecksResult(checks: readonly Check[]): Checks {
  const listNames = (wanted: ReturnType<typeof getCheckOutcome>) =>
    checks.filter((check) => getCheckOutcome(check) === wanted).map(({ name }) => name);
  const [failed, pending] = [listNames("failed"), listNames("pending")];
  const state = failed.length > 0 ? "failed" : pending.length > 0 ? "pending" : checks.length > 0 ? "passed" : "none";
  return { state, failed, pending };
}
