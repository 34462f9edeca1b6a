// What work acquires outside its object between its plan and its commit. A rule that starts work
// runs in both: with null in the plan, with what was acquired in the commit.
import type { SandboxLimit } from "../../workspace/rules/billing-plan.ts";
import type { PullRequestMove } from "./pull-request/ready-or-draft.ts";

export interface Acquired {
  /** The state that the session's pull request was given for this work; null for no change. */
  pullRequest: PullRequestMove | null;
  /** The place of the session's sandbox in its plan, or the limit that has no room for another. */
  slot: "claimed" | "not-needed" | { full: SandboxLimit };
}
