// A fire now, at somebody's request: the projects that it runs in, and how long the response waits
// for its runs (Part 2, "Crons", run-now).
import { runNowWaitMs } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { CronDecision, CronProject, CronState } from "./cron.ts";
import { createFire, type DueResult, type FireFacts, type FireIds } from "./fire.ts";
import type { CronWriter } from "./last-writer.ts";

/**
 * The longest wait for runs to open, and then for reading their state. It leaves time to send the
 * response.
 */
export const openWaitMs = runNowWaitMs - 2_000;
export const readWaitMs = 1_000;

/**
 * Fires now, without a slot (Part 2, "Crons", run-now). Named projects run even while they are
 * paused, and stay paused.
 */
export function runNow(
  state: CronState,
  command: FireIds & { projectIds: readonly string[] | null; by: CronWriter },
  facts: FireFacts,
  now: number,
): CronDecision<DueResult> {
  const { projectIds, by } = command;
  const chosen = chooseProjects(state, projectIds);
  if (!Array.isArray(chosen)) return chosen;
  const fire = createFire(state, command, facts, now, by);
  for (const project of chosen) fire.run(project, null);
  return fire.decide([], state);
}

function chooseProjects({ projects }: CronState, named: readonly string[] | null): CronProject[] | Refusal {
  if (named === null) {
    const active = projects.filter(({ pausedAt }) => pausedAt === null);
    if (active.length > 0) return active;
    return projects.length === 0
      ? refuse("BAD_REQUEST", "The cron has no projects left. Edit it to pick other ones.")
      : refuse("BAD_REQUEST", "Every project of the cron is paused. Resume one, or name those to run in projectIds.");
  }
  if (named.some((id) => !projects.some(({ projectId }) => projectId === id))) {
    return refuse(
      "BAD_REQUEST",
      "projectIds names a project that the cron does not have. Name only projects of the cron, or leave projectIds out.",
    );
  }
  return projects.filter(({ projectId }) => named.includes(projectId));
}
