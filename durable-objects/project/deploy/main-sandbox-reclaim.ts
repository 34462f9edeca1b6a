// Removes the main sandbox of a project that nobody uses.

import { mainReclaimed, mayReclaimMain } from "../../../src/rules/deploy/reclaim.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import type { Reclaimed } from "../../../src/rules/sandbox/reclaim.ts";
import { sandboxObject } from "../../address.ts";
import { passedOn } from "../../object/passed-on.ts";
import type { ProjectContext } from "../context.ts";
import type { ProjectIdentity } from "../rpc.ts";

/** After this the sandbox is looked at again, where a Deploy was at work in it. */
const lookAgainMs = 24 * 60 * 60_000;

/** Removes the sandbox if it was paused and unused for long enough. Else answers when it will have been. Safe to repeat. */
export async function reclaimMain(context: ProjectContext, facts: ProjectIdentity): Promise<Reclaimed> {
  const { mainSandboxKey: key } = facts;
  if (!mayReclaimMain(context.stateFor(facts), key)) return { removed: false, dueAt: Date.now() + lookAgainMs };
  const reclaimed = passedOn(await sandboxObject(context.env, key).reclaim());
  if (reclaimed.removed) {
    const noted = context.decideOnce(facts, null, (state, now) => mainReclaimed(state, key, now));
    if (isRefusal(noted)) throw new Error(noted.message);
    await context.shell.settled("index-project");
  }
  return reclaimed;
}
