// The stop of a Deploy by a member (Part 2, "Deploys", cancel).
import { cancelTurn } from "../../rules/chat/stop.ts";
import { isUnfinished } from "../../rules/chat/turn.ts";
import { decided } from "../../rules/decision.ts";
import type { ProjectEffect } from "../../rules/effect.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { endRun } from "./agent-turn.ts";
import { type Instruction, ofProject, type ProjectDecision, type ProjectState } from "./project-state.ts";
import { isAtWork } from "./status.ts";

export interface StoppedDeploy {
  cancelled: 0 | 1;
  /** What waited for the agent's first turn. It is returned to the caller, and not kept. */
  discarded: Instruction[];
}

/** Nobody knows yet which sandbox is the live one, so neither may end. */
export const becomesLive = "The sandbox of the Deploy is being made the live one just now. Try again in a moment.";

/** Stops the Deploy that runs or waits. Its status is `cancelled` at once; a running turn ends behind that. Up next pauses. */
export function stopDeploy(state: ProjectState, now: number): ProjectDecision<StoppedDeploy> {
  const { deploy, chat, instructions } = state;
  if (deploy === null || !isAtWork(deploy.status)) return decided(state, { cancelled: 0, discarded: [] });
  if (deploy.isSwitching) return refuse("DEPLOY_ACTIVE", becomesLive);
  const ended = endRun({ ...state, instructions: [] }, { status: "cancelled", error: null }, now);
  const effects: ProjectEffect[] = [...ended.effects];
  let after = { ...ended.state.chat, pause: { reason: "cancelled" as const, pausedAt: now } };
  const { turn } = chat;
  if (isUnfinished(turn)) {
    const stopped = cancelTurn(after, { turnId: turn.id }, now);
    if (!isRefusal(stopped)) {
      after = { ...stopped.state, pause: after.pause };
      effects.push(...stopped.effects.map(ofProject));
    }
  }
  return decided({ ...ended.state, chat: after }, { cancelled: 1, discarded: instructions }, effects);
}
