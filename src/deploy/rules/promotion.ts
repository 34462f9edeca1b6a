// The promotion of a Deploy: its sandbox becomes the live one. The previous live sandbox serves for
// another minute, and then ends (decisions, "Deploys").
import { decided } from "../../rules/decision.ts";
import type { ProjectEffect } from "../../rules/effect.ts";
import { startAgentPhase } from "./agent-turn.ts";
import { addServiceMessage } from "./deploy-chat.ts";
import { type Deploy, type ProjectDecision, type ProjectState, type Step, startPhase } from "./project-state.ts";
import { withTop } from "./queue.ts";
import { createPoolAfterDeploy } from "./spare-pool.ts";

/** How long the previous live sandbox continues to serve after a promotion. */
const leaveAfterMs = 60_000;

/** Starts the switch, once every endpoint responds. Until it is done, nothing stops the Deploy. */
export function startSwitch(state: ProjectState, deploy: Deploy, now: number): Step {
  return startPhase({ ...state, deploy: { ...deploy, isSwitching: true } }, "promoting", now);
}

/** The turn that starts if messages wait for the agent. */
export interface NextTurn {
  nextTurnId: string;
  model: string | null;
}

/**
 * Handles a completed promotion: the sandbox is live, with the draft in force. Messages that
 * arrived meanwhile start a turn immediately after it.
 */
export function recordPromotion(
  state: ProjectState,
  deploy: Deploy,
  { nextTurnId, model }: NextTurn,
  now: number,
): Step {
  const { liveSandboxKey: left, leaving } = state;
  const isMoved = left !== null && left !== deploy.sandboxKey;
  const at = now + leaveAfterMs;
  const live: ProjectState = {
    ...state,
    deploy: { ...deploy, isPromoted: true, isSwitching: false },
    liveSandboxKey: deploy.sandboxKey,
    leaving: isMoved ? [...leaving, { sandboxKey: left, at }] : leaving,
    draft: null,
    pool: createPoolAfterDeploy(now),
    stuckCheckout: null,
    isMainReclaimed: false,
  };
  const effects: ProjectEffect[] = isMoved ? [{ type: "remind", name: "end-sandboxes", at }] : [];
  const said = addServiceMessage(live, "The sandbox of this Deploy is live now.", now);
  const waiting = withTop(said);
  const next =
    waiting.instructions.length > 0
      ? startAgentPhase(
          { ...waiting, deploy: { ...deploy, isPromoted: true, isSwitching: false, isUpdate: true } },
          { turnId: nextTurnId, model },
          now,
        )
      : startPhase(said, "warming_pool", now);
  return { state: next.state, effects: [...effects, ...next.effects] };
}

/** Ends the leaving sandboxes whose time is over. */
export function endLeaving(state: ProjectState, now: number): ProjectDecision<null> {
  const due = state.leaving.filter(({ at }) => at <= now);
  const leaving = state.leaving.filter(({ at }) => at > now);
  const next = Math.min(...leaving.map(({ at }) => at));
  return decided({ ...state, leaving }, null, [
    ...due.map(({ sandboxKey }) => ({ type: "destroy-sandbox" as const, id: sandboxKey })),
    ...(leaving.length > 0 ? [{ type: "remind" as const, name: "end-sandboxes" as const, at: next }] : []),
  ]);
}
