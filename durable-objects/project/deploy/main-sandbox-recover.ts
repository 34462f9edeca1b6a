// The recovery of a live project whose main sandbox is gone.
import { newId, newName } from "../../../src/ids.ts";
import { recoverMain } from "../../../src/rules/deploy/recovery.ts";
import { sandboxKeyCharacters } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { sandboxKey } from "../../../src/rules/sandbox/key.ts";
import type { ProjectContext } from "../context.ts";
import type { ProjectFacts } from "../rpc.ts";

/** Starts a Recovery Deploy, unless one is at work or failed lately. Answers whether it did. */
export function recover(
  context: ProjectContext,
  facts: Omit<ProjectFacts, "runnable" | "workspaceSpend">,
  lostKey: string,
): boolean {
  const key = sandboxKey("main", newName(sandboxKeyCharacters));
  const started = context.decideOnce(facts, null, (state, now) =>
    recoverMain(state, { deployId: newId(now), sandboxKey: key, lostKey }, facts, now),
  );
  return !isRefusal(started) && started.answer;
}
