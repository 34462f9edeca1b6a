// The end of a run of a Deploy: what happens to its sandbox, its settings draft and the messages
// that wait for its agent (decisions, "Deploys").
import type { ProjectEffect } from "../../rules/effect.ts";
import { type Deploy, isLive, type ProjectState, type Step } from "./project-state.ts";
import { withReturnedInstructions } from "./queue.ts";
import { createPoolAfterDeploy } from "./spare-pool.ts";

/** The ends of a run. `deployed` is a Deploy or an update that succeeded. */
export type RunEnd =
  | { status: "deployed" }
  | { status: "failed"; error: string }
  /** `error` is null for a stop by a member, and for a Deploy that was replaced by a newer one. */
  | { status: "cancelled"; error: string | null };

/**
 * Ends the run. If an update does not succeed, its draft is dropped, and the live sandbox uses the
 * project's settings again. If a Deploy of a live project does not succeed, its sandbox and draft
 * are dropped. If a first Deploy does not succeed, its sandbox and draft remain, so that it can be
 * resumed.
 */
export function endRun(state: ProjectState, end: RunEnd, now: number): Step {
  const { deploy } = state;
  if (deploy === null) return { state, effects: [] };
  const error = end.status === "deployed" ? null : end.error;
  const ended: Deploy = {
    ...deploy,
    status: end.status,
    error,
    completedAt: now,
    phaseDueAt: null,
    isSwitching: false,
  };
  const after: ProjectState = { ...state, deploy: ended };
  const effects: ProjectEffect[] = [{ type: "forget", name: "phase-overdue" }, { type: "index-project" }];
  // New sessions start with what a Deploy or an update has put in force, so the pool is refilled.
  if (end.status === "deployed")
    return { state: { ...after, pool: createPoolAfterDeploy(now) }, effects: [...effects, { type: "tend-pool" }] };
  if (deploy.isPromoted || deploy.isUpdate) {
    const live = state.liveSandboxKey;
    if (state.draft !== null && live !== null) effects.push({ type: "put-settings-back", id: live });
    return { state: { ...after, draft: null }, effects };
  }
  if (!isLive(state)) return { state: after, effects };
  return releaseSandbox({ ...after, draft: null }, effects);
}

/** Drops the sandbox of a Deploy that did not become live. */
export function releaseSandbox(state: ProjectState, effects: ProjectEffect[] = []): Step {
  const { deploy, liveSandboxKey } = state;
  const sandboxKey = deploy?.sandboxKey ?? null;
  if (deploy === null || deploy.isPromoted || sandboxKey === null || sandboxKey === liveSandboxKey)
    return { state, effects };
  return {
    state: { ...state, deploy: { ...deploy, sandboxKey: null } },
    effects: [...effects, { type: "destroy-sandbox", id: sandboxKey }],
  };
}

/** Fails the Deploy. Up next pauses, and the messages that wait for its agent go to its top. */
export function failRun(state: ProjectState, error: string, now: number): Step {
  return endRun(withReturnedInstructions(state, now), { status: "failed", error }, now);
}
