// The stop of a Deploy by a member.
import { createStopPause } from "../../chat/rules/queue-pause.ts";
import { cancelTurn } from "../../chat/rules/stop.ts";
import { isUnfinished } from "../../chat/rules/turn.ts";
import { decided } from "../../rules/decision.ts";
import type { ProjectEffect } from "../../rules/effect.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { endRun } from "./end.ts";
import { type Instruction, type ProjectDecision, type ProjectState, toProjectEffect } from "./project-state.ts";
import { isAtWork } from "./status.ts";

/** The stop of a Deploy by a member (Part 2, "Deploys", cancel). */
export interface StoppedDeploy {
  cancelled: 0 | 1;
  /**
   * The messages that waited for the agent's first turn. They are returned to the caller, and not
   * stored.
   */
  discarded: Instruction[];
}

/**
 * While the live sandbox is being switched, it is not known which sandbox is the live one, so
 * neither may end.
 */
export const becomesLive = "The sandbox of the Deploy is becoming the live one right now. Try again in a moment.";

/**
 * Stops the Deploy that runs or waits. Its status is `cancelled` immediately; a running turn ends
 * afterwards. Up next pauses.
 */
export function stopDeploy(state: ProjectState, now: number): ProjectDecision<StoppedDeploy> {
  const { deploy, chat, instructions } = state;
  if (deploy === null || !isAtWork(deploy.status)) return decided(state, { cancelled: 0, discarded: [] });
  if (deploy.isSwitching) return refuse("DEPLOY_ACTIVE", becomesLive);
  const ended = endRun({ ...state, instructions: [] }, { status: "cancelled", error: null }, now);
  const effects: ProjectEffect[] = [...ended.effects];
  let after = { ...ended.state.chat, pause: createStopPause(now) };
  const { turn } = chat;
  if (isUnfinished(turn)) {
    const stopped = cancelTurn(after, { turnId: turn.id }, now);
    if (!isRefusal(stopped)) {
      after = { ...stopped.state, pause: after.pause };
      effects.push(...stopped.effects.map(toProjectEffect));
    }
  }
  return decided({ ...ended.state, chat: after }, { cancelled: 1, discarded: instructions }, effects);
}
