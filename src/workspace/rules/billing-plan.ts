// A plan limits what a workspace may run. The limit of concurrent sandboxes counts only session
// sandboxes; running time counts all sandboxes.
import { freeSandboxesPerOwner } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

export interface Plan {
  /** Null for no limit. */
  maxConcurrentSandboxes: number | null;
  /** Across all workspaces on this plan that one person owns; null for no limit. */
  maxSandboxesOfOwner: number | null;
  /** Running time of all sandboxes in one month; null for no limit. */
  runningHoursPerMonth: number | null;
  /** The storage limit, as counted by `stored_objects`. Saved work counts, but is never refused. */
  maxStorageBytes: number;
  /** The number of spare sandboxes that are prepared for the sessions of a project. */
  sparesPerProject: number;
}

export const planNames = ["free", "team", "enterprise"] as const;
export type PlanName = (typeof planNames)[number];

const mebibyte = 1_048_576;
const gibibyte = 1_024 * mebibyte;

export const plans: Record<PlanName, Plan> = {
  free: {
    maxConcurrentSandboxes: 3,
    maxSandboxesOfOwner: freeSandboxesPerOwner,
    runningHoursPerMonth: 50,
    maxStorageBytes: 5 * gibibyte,
    sparesPerProject: 0,
  },
  team: {
    maxConcurrentSandboxes: 20,
    maxSandboxesOfOwner: null,
    runningHoursPerMonth: 2_000,
    maxStorageBytes: 200 * gibibyte,
    sparesPerProject: 1,
  },
  enterprise: {
    maxConcurrentSandboxes: null,
    maxSandboxesOfOwner: null,
    runningHoursPerMonth: null,
    maxStorageBytes: 2_048 * gibibyte,
    sparesPerProject: 2,
  },
};

/**
 * The limit that leaves no room for another session sandbox: the workspace's own, or that of all
 * free workspaces of its owner.
 */
export type SandboxLimit = "workspace" | "owner";

/** The session sandboxes that run, or are about to start, besides the requested one. */
export interface OtherSandboxes {
  ofWorkspace: number;
  /** In all workspaces on this plan that the workspace's owner owns. */
  ofOwner: number;
}

/** The limit of the plan that allows no further session sandbox; null if there is room. */
export function findSandboxLimitMet(plan: PlanName, { ofWorkspace, ofOwner }: OtherSandboxes): SandboxLimit | null {
  const { maxConcurrentSandboxes, maxSandboxesOfOwner } = plans[plan];
  if (maxConcurrentSandboxes !== null && ofWorkspace >= maxConcurrentSandboxes) return "workspace";
  return maxSandboxesOfOwner !== null && ofOwner >= maxSandboxesOfOwner ? "owner" : null;
}

/** Refuses a sandbox because a limit leaves no room for it. */
export function refuseSandbox(limit: SandboxLimit): Refusal {
  if (limit === "workspace") return refuse("SANDBOX_LIMIT_REACHED");
  return refuse(
    "SANDBOX_LIMIT_REACHED",
    `The free workspaces of this workspace's owner run ${freeSandboxesPerOwner} sandboxes together at most. Stop one, or change this workspace's plan.`,
  );
}

/** The storage that a workspace uses, and the storage that its plan allows. */
export interface Storage {
  usedBytes: number;
  maxBytes: number;
}

/** Refuses data that does not fit into the quota of a workspace in addition to its stored data. */
export function refuseStorage(plan: PlanName, usedBytes: number, neededBytes: number): Refusal {
  const maxBytes = plans[plan].maxStorageBytes;
  return refuse(
    "BAD_REQUEST",
    `The workspace stores ${sizeText(usedBytes)} of the ${sizeText(maxBytes)} that its plan allows, and has no room for ${sizeText(neededBytes)} more. Delete sessions, crons or Prototypes, or have an owner or admin change the plan.`,
    { usedBytes, maxBytes } satisfies Storage,
  );
}

/** A size for people. A small size is shown as 0.1, not as 0. */
function sizeText(bytes: number): string {
  const [unit, name] = bytes < gibibyte ? [mebibyte, "MiB"] : [gibibyte, "GiB"];
  return `${Math.max(0.1, Math.round((bytes / unit) * 10) / 10)} ${name}`;
}
