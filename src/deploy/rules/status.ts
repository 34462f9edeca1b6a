// The statuses of a Deploy (Part 2, "Deploy statuses"), and the kind of work that each implies.
import { isLive, type ProjectState } from "./project-state.ts";

export const deployStatuses = [
  "creating_sandbox",
  "starting_services",
  "running_agent",
  "updating",
  "awaiting_user",
  "warming",
  "promoting",
  "warming_pool",
  "deployed",
  "failed",
  "cancelled",
] as const;
export type DeployStatus = (typeof deployStatuses)[number];

/**
 * `none`: no work is in progress. `building`: before and after the agent. `agent`: the agent works.
 * `waiting`: the agent asked a clarification.
 */
export type DeployWork = "none" | "building" | "agent" | "waiting";

/**
 * The work of a status. While the pool is being warmed, the project is already live, so for its
 * members no work is in progress.
 */
export function getDeployWork(status: DeployStatus): DeployWork {
  switch (status) {
    case "creating_sandbox":
    case "starting_services":
    case "warming":
    case "promoting":
      return "building";
    case "running_agent":
    case "updating":
      return "agent";
    case "awaiting_user":
      return "waiting";
    case "warming_pool":
    case "deployed":
    case "failed":
    case "cancelled":
      return "none";
  }
}

/** True while a Deploy runs or waits for an answer. */
export function isAtWork(status: DeployStatus): boolean {
  return getDeployWork(status) !== "none";
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** The longest time of each phase. The agent's turns have deadlines of their own. */
export const phaseDeadlinesMs: Partial<Record<DeployStatus, number>> = {
  creating_sandbox: 10 * minuteMs,
  starting_services: 2 * minuteMs,
  warming: 30 * secondMs,
  promoting: 1 * minuteMs,
  warming_pool: 2 * minuteMs,
};

/**
 * The status that lists show. A project that stays live is `deployed` again as soon as a run on it
 * has ended, successfully or not.
 */
export function getShownStatus(state: Pick<ProjectState, "deploy" | "liveSandboxKey">): DeployStatus | "idle" {
  const { deploy } = state;
  if (deploy === null) return isLive(state) ? "deployed" : "idle";
  const hasEnded = deploy.status === "failed" || deploy.status === "cancelled";
  return hasEnded && isLive(state) ? "deployed" : deploy.status;
}
