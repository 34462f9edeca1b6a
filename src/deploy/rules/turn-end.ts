// The effect of a deploy agent's ended turn on its Deploy.

import type { ChatDecision } from "../../chat/rules/chat.ts";
import { startQueuedTurn } from "../../chat/rules/queue.ts";
import { isUnfinished } from "../../chat/rules/turn.ts";
import { agentSilent, sandboxStopped } from "../../chat/rules/watchdog.ts";
import { decided } from "../../rules/decision.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { noSpend } from "../../usage/rules/spend-limit.ts";
import { startAgentTurn } from "./agent-turn.ts";
import { endRun } from "./end.ts";
import {
  type Deploy,
  fromChatDecision,
  type ProjectDecision,
  type ProjectState,
  type Step,
  startPhase,
  toProjectEffect,
} from "./project-state.ts";
import { continueWithQueued } from "./queue.ts";
import { isAtWork } from "./status.ts";

/** The time limit for putting an update's settings in force. */
const settleMs = 60_000;

/**
 * Applies a decision of the chat. If it ended a turn, the Deploy continues, waits or ends with it.
 */
export function applyChatDecision<Result>(
  state: ProjectState,
  decision: ChatDecision<Result>,
  { nextTurnId }: { nextTurnId: string },
  now: number,
): ProjectDecision<Result> {
  const applied = fromChatDecision(state, decision);
  if (isRefusal(applied) || applied.state.chat.endedTurn === null) return applied;
  const after = afterTurn(applied.state, nextTurnId, now);
  return decided(after.state, applied.result, [...applied.effects, ...after.effects]);
}

function afterTurn(state: ProjectState, turnId: string, now: number): Step {
  const { deploy, chat } = state;
  const ended = chat.endedTurn;
  if (deploy === null || ended === null || isUnfinished(chat.turn)) return { state, effects: [] };
  // The turn may belong to a Deploy that was replaced. The agent of the newer Deploy may have
  // waited for its end.
  const isAgents = deploy.status === "running_agent" || deploy.status === "updating";
  if (!isAgents) return afterStop(state, turnId, now);
  if (state.turnDeployId !== deploy.id) return startAgentTurn(state, { turnId }, now);
  switch (ended.status) {
    case "awaiting_response":
      return startPhase(state, "awaiting_user", now);
    case "failed":
      return endRun(state, { status: "failed", error: formatError(deploy, ended.error) }, now);
    case "cancelled":
      return endRun(state, { status: "cancelled", error: "The agent's turn was stopped in its sandbox." }, now);
    default:
      return afterWork(state, turnId, now);
  }
}

/**
 * A sandbox that was never live may be lost with its Deploy, so the error does not advise sending
 * the message again.
 */
function formatError({ isUpdate, isPromoted }: Deploy, error: string | null): string {
  if (!isUpdate && !isPromoted) {
    if (error === sandboxStopped) return "The sandbox stopped while the agent worked. Start the Deploy again.";
    if (error?.startsWith(agentSilent)) return `${agentSilent} Start the Deploy again.`;
  }
  return error ?? "The agent's turn failed.";
}

/**
 * The next message of Up next is handled before the Deploy continues, so that members' messages
 * take effect before the project is live.
 */
function afterWork(state: ProjectState, turnId: string, now: number): Step {
  const next = startQueuedTurn(state.chat, turnId, now);
  if (next.state !== state.chat)
    return { state: { ...state, chat: next.state }, effects: next.effects.map(toProjectEffect) };
  return state.deploy?.isUpdate ? startPhase(state, "updating", now, settleMs) : startPhase(state, "warming", now);
}

/**
 * Handles the end of a turn that no run waits for. Up next continues if it was resumed meanwhile.
 * If it cannot continue, it pauses again.
 */
function afterStop(state: ProjectState, turnId: string, now: number): Step {
  const { deploy, chat } = state;
  const [top] = chat.upNext;
  if (deploy === null || isAtWork(deploy.status) || chat.pause !== null || top === undefined)
    return { state, effects: [] };
  // The member who resumed it was authorized. The sandbox itself reports whether it is available.
  // A model may have been chosen since the stop.
  const model = state.savedModel ?? chat.model;
  const facts = { turnId, model, isBlockedOnBilling: false, workspaceSpend: noSpend, canResume: true };
  const continued = continueWithQueued(state, top, facts, now);
  if (!isRefusal(continued)) return continued;
  return { state: { ...state, chat: { ...chat, pause: { reason: "failed", pausedAt: now } } }, effects: [] };
}
