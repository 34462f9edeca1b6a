// Stops the unfinished runs in a project, because their main sandbox is no longer the live one.
import { getCronRunObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { runInLanes } from "../lib/concurrency.ts";
import { listProjectRuns } from "./queries/runs.ts";
import type { RunStop } from "./rules/run-status.ts";

const runsAtOnce = 25;

const replaced: RunStop = {
  status: "failed",
  error: "A Deploy made another main sandbox live during the run. The next fire reads that one.",
  errorCode: "main_replaced",
  source: "replaced",
  by: null,
};

/**
 * Ends the runs of a project whose Deploy has made another sandbox live. These runs are not
 * counted. Safe to repeat.
 */
export async function stopReplacedRuns(
  env: Pick<Env, "DB" | "CRON_RUN" | "JURISDICTION">,
  projectId: string,
  liveSandboxKey: string,
): Promise<void> {
  const runs = await listProjectRuns(env.DB, projectId);
  const silent: unknown[] = [];
  await runInLanes(
    runs,
    runsAtOnce,
    async (id) => {
      const run = getCronRunObject(env, id);
      if ((await run.read())?.run.mainSandboxKey !== liveSandboxKey) await run.stop(replaced);
    },
    (_, error) => silent.push(error),
  );
  if (silent.length > 0) throw new AggregateError(silent, `${silent.length} runs could not be stopped: ${silent[0]}`);
}
