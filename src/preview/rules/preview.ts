// A preview: the state of a sandbox's public endpoints, whether or not the sandbox is running (Part
// 1, "Previews and sandboxes").

import type { Frontend } from "../../project/rules/frontends.ts";
import type { ServiceLayout } from "../../project/rules/settings.ts";
import type { SandboxLifeState } from "../../sandbox/rules/lifecycle.ts";
import { isOverAllowance } from "../../workspace/rules/billing-block.ts";
import { findSandboxLimitMet, type PlanName, plans } from "../../workspace/rules/billing-plan.ts";
import { type Crash, findCrash, findHttpResult, type ServiceRun } from "./service-state.ts";

/** The status of a sandbox, read without waking it. */
export interface SandboxStatus {
  state: SandboxLifeState;
  generation: number;
  resumesOnVisit: boolean;
  /** Its services are being restarted. */
  isResetting: boolean;
  /** The status of each service; null if the sandbox program is not running or did not respond. */
  services: ServiceStatus[] | null;
  /** The services of its last start or reset; null if it does not run. */
  layout: ServiceLayout[] | null;
}

/** The status of one service of the project. */
export interface ServiceStatus {
  name: string;
  /** True if all endpoints respond; null for a service without endpoints. */
  answers: boolean | null;
  /** The declared ports of the endpoints that respond. */
  answeringPorts: number[];
  /** Its process; null while it waits for earlier services. */
  run: ServiceRun | null;
}

export interface ServiceHealth {
  name: string;
  httpResult: "healthy" | "not_healthy" | null;
  /** Set for a service that crashed, and may not respond until somebody fixes it. */
  crash?: Crash;
}

/** Part 1, "Health answer": two states. For a service that crashed, `services` says why. */
export const healthStates = ["healthy", "starting"] as const;

export interface Health {
  state: (typeof healthStates)[number];
  services: ServiceHealth[];
  sandboxAvailable: boolean;
  paused: boolean;
  needsStart: boolean;
  indeterminate: boolean;
}

/** The reasons why a preview host has no response of a service. */
const previewUnavailable = ["unknown", "refused", "starting", "paused", "unable", "ended", "silent"] as const;
export type PreviewUnavailable = (typeof previewUnavailable)[number];

/** The reason why no service in a sandbox accepted a request. */
export function getUnavailableReason(state: SandboxLifeState): PreviewUnavailable {
  switch (state) {
    case "running":
      return "silent";
    case "creating":
    case "resuming":
      return "starting";
    case "absent":
    case "pausing":
    case "paused":
      return "paused";
    case "gone":
      return "ended";
  }
}

/** Derives the health of a sandbox from its status (Part 1, "Health answer"). */
export function getHealth(status: SandboxStatus, layout: ServiceLayout[], frontends: Frontend[]): Health {
  const asleep = {
    state: "starting",
    sandboxAvailable: false,
    paused: false,
    needsStart: false,
    indeterminate: false,
  } as const;
  const unserved = frontends.map(({ key }) => ({ name: key, httpResult: null }));
  switch (status.state) {
    case "absent":
    case "gone":
      return { ...asleep, services: unserved, needsStart: true };
    case "paused":
      return { ...asleep, services: unserved, paused: true, needsStart: true };
    case "creating":
      return { ...asleep, services: unserved };
    case "pausing":
    case "resuming":
      return { ...asleep, services: [], indeterminate: true };
    case "running":
      return status.services === null
        ? { ...asleep, services: [], indeterminate: true }
        : { ...asleep, ...servicesHealth(status.services, status.isResetting, layout), sandboxAvailable: true };
  }
}

/** True if a frontend responds now, regardless of the other endpoints of its service. */
export function isServing({ service, port }: Frontend, services: SandboxStatus["services"]): boolean {
  return services?.find(({ name }) => name === service)?.answeringPorts.includes(port) === true;
}

function servicesHealth(
  statuses: ServiceStatus[],
  isResetting: boolean,
  layout: ServiceLayout[],
): Pick<Health, "state" | "services"> {
  const services = layout.map(({ name }) => {
    const status = statuses.find((one) => one.name === name);
    const crash = status && findCrash(status);
    return { name, httpResult: findHttpResult(status?.answers ?? null), ...(crash && { crash }) };
  });
  // A service without endpoints is not waited for.
  const awaited = services.filter((_, place) => layout[place]?.endpoints.length !== 0);
  return {
    state: !isResetting && awaited.every(({ httpResult }) => httpResult === "healthy") ? "healthy" : "starting",
    services: [{ name: "agent", httpResult: "healthy" }, ...services],
  };
}

/** The allowance of a preview under the plan of its workspace (Part 1, "Preview rules", 1). */
export interface PreviewAllowance {
  /** The workspace has used up this month's running time. */
  isBlockedOnBilling: boolean;
  /** Waking its sandbox takes a slot of a limited plan. The main sandbox takes none. */
  takesSlot: boolean;
  /** No such slot is left. */
  isAtSandboxLimit: boolean;
}

/** How much of its plan a workspace uses. */
export interface PlanUsage {
  plan: PlanName;
  runningMsThisMonth: number;
  slotsTaken: number;
  /** Across all workspaces on this plan that the workspace's owner owns. */
  slotsOfOwner: number;
  /** The slot of the preview's own sandbox; null without one. */
  slot: "claimed" | "starting" | "running" | null;
}

export function getPreviewAllowance(
  { plan, runningMsThisMonth, slotsTaken, slotsOfOwner, slot }: PlanUsage,
  isOfSession: boolean,
): PreviewAllowance {
  const isUp = slot === "starting" || slot === "running";
  const takesSlot = isOfSession && !isUp && plans[plan].maxConcurrentSandboxes !== null;
  // A slot that is claimed for the sandbox's own start does not count.
  const own = slot === null ? 0 : 1;
  const others = { ofWorkspace: slotsTaken - own, ofOwner: slotsOfOwner - own };
  return {
    isBlockedOnBilling: isOverAllowance(plan, runningMsThisMonth),
    takesSlot,
    isAtSandboxLimit: takesSlot && findSandboxLimitMet(plan, others) !== null,
  };
}
