// The plan of a sync, as the service answers a sandbox that asks for it.
import type { ProjectSettings } from "../project/settings.ts";

/** What a turn that brings another branch into the session's has to know. */
export interface BranchSyncPlan extends ProjectSettings {
  /** The branch that comes in. */
  base: string;
  /** True when what came in is pushed by itself. */
  pushes: boolean;
}
