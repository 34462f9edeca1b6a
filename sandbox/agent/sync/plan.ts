// The plan of a sync, as the service has it: which branch comes in, and what is to follow.
import type { BranchSyncPlan } from "../../../src/rules/branch/sync-plan.ts";
import type { ServicePlan } from "../../../src/sandbox/protocol.ts";
import { textField, textsField, toFields } from "../../http/body.ts";
import { checkBranch, readServicesCall } from "../../http/calls.ts";
import { callService, type ServiceEndpoint } from "../tools/service-task.ts";

/** As far as the program needs it. */
export type SyncPlan = Omit<BranchSyncPlan, "services"> & { services: ServicePlan[] };

/** Asks the service for it. */
export async function fetchSyncPlan(endpoint: ServiceEndpoint, signal: AbortSignal): Promise<SyncPlan> {
  const fields = toFields(await callService(endpoint, "branch-sync-plan", {}, signal), "The plan");
  const { services, env } = readServicesCall(fields);
  const base = checkBranch(textField(fields, "base"));
  return { base, pushes: fields.pushes === true, setup: textsField(fields, "setup"), services, env };
}
