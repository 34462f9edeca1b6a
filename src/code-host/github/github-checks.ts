// The checks of a commit at GitHub: the check runs of apps, and commit statuses.
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import type { Checks } from "../code-host.ts";
import { type CallGithub, readPages } from "./call.ts";

interface CheckRuns {
  check_runs: { name: string; status: string; conclusion: string | null }[];
}

interface CombinedStatus {
  statuses: { context: string; state: string }[];
}

type CheckResult = { name: string; state: "passed" | "pending" | "failed" };

/** The conclusions that do not block a merge. */
const passing = ["success", "neutral", "skipped"];

/** Reads the newest check run or status of each name, for a commit or the head of a branch. */
export async function readChecks(
  call: CallGithub,
  repository: string,
  ref: string,
  signal: AbortSignal,
): Promise<Checks | Refusal> {
  const commit = `/repos/${repository}/commits/${encodeURIComponent(ref)}`;
  const [runs, statuses] = await Promise.all([
    readPages(call, `${commit}/check-runs`, (answer: CheckRuns) => answer.check_runs.map(ofRun), signal),
    readPages(call, `${commit}/status`, (answer: CombinedStatus) => answer.statuses.map(ofStatus), signal),
  ]);
  if (isRefusal(runs)) return runs;
  return isRefusal(statuses) ? statuses : combined([...runs, ...statuses]);
}

function ofRun({ name, status, conclusion }: CheckRuns["check_runs"][number]): CheckResult {
  if (status !== "completed") return { name, state: "pending" };
  return { name, state: passing.includes(conclusion ?? "") ? "passed" : "failed" };
}

function ofStatus({ context: name, state }: CombinedStatus["statuses"][number]): CheckResult {
  if (state === "pending" || state === "success") return { name, state: state === "success" ? "passed" : "pending" };
  return { name, state: "failed" };
}

function combined(results: CheckResult[]): Checks {
  const namesOf = (wanted: CheckResult["state"]) =>
    results.filter(({ state }) => state === wanted).map(({ name }) => name);
  const [failed, pending] = [namesOf("failed"), namesOf("pending")];
  const state = failed.length > 0 ? "failed" : pending.length > 0 ? "pending" : results.length > 0 ? "passed" : "none";
  return { state, failed, pending };
}
