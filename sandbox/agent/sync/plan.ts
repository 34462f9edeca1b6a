// The plan of a sync, as the service has it: which branch comes in, and what is to follow.
import * as z from "zod/mini";
import type { BranchSyncPlan } from "../../../src/rules/branch/sync-plan.ts";
import { branchSchema, environmentSchema, serviceSchema } from "../../../src/sandbox/program-call.ts";
import type { ServicePlan } from "../../../src/sandbox/protocol.ts";
import { readAs } from "../../http/body.ts";
import { callService, type ServiceEndpoint } from "../tools/service-task.ts";

/** As far as the program needs it. */
export type SyncPlan = Omit<BranchSyncPlan, "services"> & { services: ServicePlan[] };

const planSchema: z.ZodMiniType<SyncPlan> = z.object({
  base: branchSchema,
  pushes: z.boolean(),
  setup: z.array(z.string()),
  services: z.array(serviceSchema),
  env: environmentSchema,
});

/** Asks the service for it. */
export async function fetchSyncPlan(endpoint: ServiceEndpoint, signal: AbortSignal): Promise<SyncPlan> {
  return readAs(planSchema, await callService(endpoint, "branch-sync-plan", {}, signal));
}
