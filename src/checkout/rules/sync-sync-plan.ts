// The plan of a sync, which the service answers to a sandbox.
import type { ProjectSettings } from "../../project/rules/settings.ts";

/** The plan for merging another branch into the session's, and for preparing the checkout afterwards. */
export interface BranchSyncPlan extends ProjectSettings {
  /** The branch to merge. */
  base: string;
  /** True if the merge is pushed automatically. */
  pushes: boolean;
}
