// Keeps the live checkout on the Target Branch. A sleeping sandbox is updated when it next wakes.

import { mayReclaimMain, recordMainReclaimed } from "../../../src/deploy/rules/deleted-main.ts";
import { recordFollowOutcome, recordTargetMove } from "../../../src/deploy/rules/follow.ts";
import { recoverMain } from "../../../src/deploy/rules/recovery.ts";
import { createId, createName } from "../../../src/lib/ids.ts";
import { findProject } from "../../../src/project/queries.ts";
import { sandboxKeyCharacters } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import type { Reclaimed } from "../../../src/sandbox/rules/delete-unused.ts";
import { getMainSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { createSandboxKey } from "../../../src/sandbox/rules/sandbox-key.ts";
import { detachRpcResult, getSandboxObject } from "../../address.ts";
import type { ProjectContext } from "../context.ts";
import type { ProjectFacts, ProjectIdentity } from "../rpc.ts";

/** Records that the Target Branch has a newer commit. */
export function recordTargetMoved({ decide }: ProjectContext): void {
  decide(recordTargetMove);
}

/**
 * Updates the live checkout to the Target Branch. Safe to repeat: pushes that arrive meanwhile are
 * followed together.
 */
export async function followTarget({ env, store, decide }: ProjectContext): Promise<void> {
  const { id, liveSandboxKey } = store.find() ?? { id: "", liveSandboxKey: null };
  const project = liveSandboxKey === null ? null : await findProject(env.DB, id);
  if (liveSandboxKey === null || !project) return;
  const outcome = await getSandboxObject(env, liveSandboxKey).followTargetBranch(getMainSandboxOwner(project));
  if (outcome === "asleep") return;
  decide((state, now) => {
    if (!isRefusal(outcome)) {
      const { setupFailure } = outcome;
      return recordFollowOutcome(
        state,
        setupFailure ? { type: "stuck", reason: setupFailure } : { type: "followed" },
        now,
      );
    }
    if (outcome.code === "JOB_ACTIVE") return recordFollowOutcome(state, { type: "busy" }, now);
    return recordFollowOutcome(state, { type: "stuck", reason: outcome.message }, now);
  });
}

/**
 * Records whether a woken checkout followed the Target Branch; `reason` is null if it did. Ignores
 * every sandbox except the live one.
 */
export function recordFollowed(
  { decide, store }: ProjectContext,
  { sandboxKey, reason }: { sandboxKey: string; reason: string | null },
): void {
  if (store.find()?.liveSandboxKey !== sandboxKey) return;
  decide((state, now) =>
    recordFollowOutcome(state, reason === null ? { type: "followed" } : { type: "stuck", reason }, now),
  );
}

/** How long until the sandbox is checked again, if a Deploy was in progress in it. */
const lookAgainMs = 24 * 60 * 60_000;

/**
 * Deletes the main sandbox of a project if it was paused and unused for long enough. Otherwise
 * returns when that will be the case. Safe to repeat.
 */
export async function reclaimMain(context: ProjectContext, facts: ProjectIdentity): Promise<Reclaimed> {
  const { mainSandboxKey: key } = facts;
  if (!mayReclaimMain(context.stateFor(facts), key)) return { removed: false, dueAt: Date.now() + lookAgainMs };
  const reclaimed = detachRpcResult(await getSandboxObject(context.env, key).reclaim());
  if (reclaimed.removed) {
    const noted = context.decideOnce(facts, null, (state, now) => recordMainReclaimed(state, key, now));
    if (isRefusal(noted)) throw new Error(noted.message);
    await context.shell.settled({ type: "index-project" });
  }
  return reclaimed;
}

/**
 * Starts a Recovery Deploy, unless a Deploy is in progress or a Recovery Deploy failed recently.
 * Returns whether it did.
 */
export function startRecovery(
  context: ProjectContext,
  facts: Omit<ProjectFacts, "runnable" | "workspaceSpend">,
  lostKey: string,
): boolean {
  const key = createSandboxKey("main", createName(sandboxKeyCharacters));
  const started = context.decideOnce(facts, null, (state, now) =>
    recoverMain(state, { deployId: createId(now), sandboxKey: key, lostKey }, facts, now),
  );
  return started === true;
}
