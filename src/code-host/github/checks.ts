// What checks say of a commit at GitHub. They come in two kinds, check runs of apps and statuses that anybody with access sets; both count.
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import type { Checks } from "../code-host.ts";
import { type CallGithub, readPages } from "./call.ts";

interface CheckRuns {
  check_runs: { name: string; status: string; conclusion: string | null }[];
}

interface CombinedStatus {
  statuses: { context: string; state: string }[];
}

type Outcome = { name: string; outcome: "passed" | "pending" | "failed" };

/** Conclusions that stand in nobody's way. */
const passing = ["success", "neutral", "skipped"];

/** Reads both kinds, the newest run of each name. */
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
  return isRefusal(statuses) ? statuses : summed([...runs, ...statuses]);
}

function ofRun({ name, status, conclusion }: CheckRuns["check_runs"][number]): Outcome {
  if (status !== "completed") return { name, outcome: "pending" };
  return { name, outcome: passing.includes(conclusion ?? "") ? "passed" : "failed" };
}

function ofStatus({ context: name, state }: CombinedStatus["statuses"][number]): Outcome {
  if (state === "pending" || state === "success") return { name, outcome: state === "success" ? "passed" : "pending" };
  return { name, outcome: "failed" };
}

function summed(all: Outcome[]): Checks {
  const named = (wanted: Outcome["outcome"]) => all.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
  const [failed, pending] = [named("failed"), named("pending")];
  const state = failed.length > 0 ? "failed" : pending.length > 0 ? "pending" : all.length > 0 ? "passed" : "none";
  return { state, failed, pending };
}
