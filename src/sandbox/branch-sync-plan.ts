// The plan of a sync, as the service answers a sandbox that asks for it.
import type { Checkout, ServicesPlan } from "./protocol.ts";

/** What a turn that brings another branch into the session's has to know. */
export interface BranchSyncPlan extends Pick<Checkout, "setup" | "env">, Pick<ServicesPlan, "services"> {
  /** The branch that comes in. */
  base: string;
  /** True when what came in is pushed by itself. */
  pushes: boolean;
}
