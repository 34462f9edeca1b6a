// The deletion of a cron (Part 2, "Crons"): its runs are stopped, and everything else goes behind the answer.
import { decided } from "../../rules/decision.ts";
import { refuse } from "../../rules/refusal.ts";
import type { CronDecision, CronState } from "./cron.ts";

const cronDeleted = {
  status: "cancelled",
  error: null,
  errorCode: null,
  source: "member_stop",
  by: null,
} as const;

/** Deletes a cron. Refuses CRON_RUN_STARTING between the decision of a run and the word of its object. */
export function deleteCron({ cron, inFlight }: CronState): CronDecision<null> {
  if (inFlight.some(({ isOpen }) => !isOpen)) return refuse("CRON_RUN_STARTING");
  return decided(null, null, [
    { type: "forget", name: "fire" },
    ...inFlight.map(({ runId }) => ({ type: "stop-run" as const, runId, stop: cronDeleted })),
    { type: "forget-cron", cronId: cron.id },
    { type: "delete-runs", cronId: cron.id, stopped: inFlight.map(({ runId }) => runId) },
  ]);
}
