// A main sandbox that nobody uses is deleted with its saved work
// (`src/sandbox/rules/delete-unused.ts` says when). The project stays live: the next time someone
// opens the main preview, a Recovery Deploy starts (Part 1, "Previews"; Part 2, "Deploys").
import { decided } from "../../rules/decision.ts";
import { unusedMainDays } from "../../rules/limits.ts";
import { addServiceMessage } from "./deploy-chat.ts";
import { isLive, type ProjectDecision, type ProjectState } from "./project-state.ts";
import { isAtWork } from "./status.ts";

/**
 * True if the project can do without this main sandbox: it is the live one, and no Deploy is in
 * progress.
 */
export function mayReclaimMain(state: ProjectState, sandboxKey: string): boolean {
  const { deploy, liveSandboxKey } = state;
  return isLive(state) && liveSandboxKey === sandboxKey && (deploy === null || !isAtWork(deploy.status));
}

const reason = `Nobody used the main sandbox for ${unusedMainDays} days, so the service deleted it. To get a new one, open the main preview or start a Deploy.`;

/** Records that the sandbox was deleted. Sessions start as before. */
export function recordMainReclaimed(state: ProjectState, sandboxKey: string, now: number): ProjectDecision<null> {
  if (state.liveSandboxKey !== sandboxKey || state.isMainReclaimed) return decided(state, null);
  return decided(addServiceMessage({ ...state, isMainReclaimed: true }, reason, now), null, [
    { type: "index-project" },
  ]);
}
