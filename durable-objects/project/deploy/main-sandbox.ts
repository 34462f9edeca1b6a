// The live checkout follows the Target Branch. One that sleeps moves on at its next wake.

import { findProject } from "../../../src/project/queries.ts";
import { followed, targetMoved } from "../../../src/rules/deploy/follow.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { mainSandboxOwner } from "../../../src/rules/sandbox/owner.ts";
import { sandboxObject } from "../../address.ts";
import type { ProjectContext } from "../context.ts";

/** The Target Branch has moved on. */
export function noteTargetMoved({ decide }: ProjectContext): void {
  decide(targetMoved);
}

/** Moves the live checkout on. Safe to repeat: pushes that come meanwhile are followed together. */
export async function followTarget({ env, store, decide }: ProjectContext): Promise<void> {
  const { id, liveSandboxKey } = store.find() ?? { id: "", liveSandboxKey: null };
  const project = liveSandboxKey === null ? null : await findProject(env.DB, id);
  if (liveSandboxKey === null || !project) return;
  const outcome = await sandboxObject(env, liveSandboxKey).followBase(mainSandboxOwner(project));
  if (outcome === "asleep") return;
  decide((state, now) => {
    if (!isRefusal(outcome)) {
      const { setupFailure } = outcome;
      return followed(state, setupFailure ? { type: "stuck", reason: setupFailure } : { type: "followed" }, now);
    }
    if (outcome.code === "JOB_ACTIVE") return followed(state, { type: "busy" }, now);
    return followed(state, { type: "stuck", reason: outcome.message }, now);
  });
}

/** What a checkout that woke came to when it followed; `reason` is null if it did. That of another sandbox than the live one is nobody's. */
export function noteFollowed(
  { decide, store }: ProjectContext,
  { sandboxKey, reason }: { sandboxKey: string; reason: string | null },
): void {
  if (store.find()?.liveSandboxKey !== sandboxKey) return;
  decide((state, now) => followed(state, reason === null ? { type: "followed" } : { type: "stuck", reason }, now));
}
