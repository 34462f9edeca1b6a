// The plan of a sync, fetched from the service: the branch to bring in, and the steps that follow.
import * as z from "zod/mini";
import type { BranchSyncPlan } from "../../../src/checkout/rules/sync.ts";
import type { ServicePlan } from "../../../src/sandbox-protocol/protocol.ts";
import { branchSchema, environmentSchema, serviceSchema } from "../../../src/sandbox-protocol/schemas.ts";
import { readAs } from "../../http/body.ts";
import { callService, type ServiceEndpoint } from "../tools/service-task.ts";

/** The fields that the program uses. */
export type SyncPlan = Omit<BranchSyncPlan, "services"> & { services: ServicePlan[] };

const planSchema: z.ZodMiniType<SyncPlan> = z.object({
  base: branchSchema,
  pushes: z.boolean(),
  setup: z.array(z.string()),
  services: z.array(serviceSchema),
  env: environmentSchema,
});

/** Fetches the plan from the service. */
export async function fetchSyncPlan(endpoint: ServiceEndpoint, signal: AbortSignal): Promise<SyncPlan> {
  return readAs(planSchema, await callService(endpoint, "branch-sync-plan", {}, signal));
}
