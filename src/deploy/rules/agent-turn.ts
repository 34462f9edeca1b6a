// A run of a Deploy: how it starts turns of the agent, and how it ends.
import type { Author } from "../../access/rules/actor.ts";
import { createTextMessage } from "../../chat/rules/message.ts";
import { isUnfinished, startTurn } from "../../chat/rules/turn.ts";
import type { ProjectEffect } from "../../rules/effect.ts";
import { queueSize } from "../../rules/limits.ts";
import {
  type Deploy,
  type Instruction,
  isLive,
  type ProjectState,
  type Step,
  startPhase,
  toProjectEffect,
} from "./project-state.ts";
import { createPoolAfterDeploy } from "./spare-pool.ts";

/** The author of a turn of a Recovery Deploy. */
const serviceAuthor: Author = { kind: "service" };

/**
 * Starts a turn of the agent with the waiting messages. The first message starts the turn, and the
 * others join it in order. While an older turn is still being stopped, the turn starts when that
 * one has ended.
 */
export function startAgentTurn(state: ProjectState, { turnId }: { turnId: string }, now: number): Step {
  const { deploy, chat, instructions } = state;
  if (deploy === null || isUnfinished(chat.turn)) return { state, effects: [] };
  const [first, ...others] = instructions;
  const author = first?.author ?? deploy.startedBy ?? serviceAuthor;
  const begun = startTurn(
    chat,
    { turnId, messageId: first?.id ?? turnId, body: first ?? createTextMessage(""), author, model: null },
    now,
  );
  // A turn can start without a message: the agent receives its task anyway.
  const newMessages = first === undefined ? chat.newMessages : begun.state.newMessages;
  const joined = others.map(({ id, content, attachments, context, author: by }) => ({
    ...{ id, content, attachments, context, author: by },
    ...{ turnId, delivery: "steer" as const, createdAt: now },
  }));
  return {
    state: {
      ...state,
      instructions: [],
      turnDeployId: deploy.id,
      deploy: { ...deploy, hasAgentRun: deploy.hasAgentRun || !deploy.isUpdate },
      chat: { ...begun.state, newMessages: [...newMessages, ...joined] },
    },
    effects: begun.effects.map(toProjectEffect),
  };
}

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

/** Pauses Up next, and returns the instructions that no turn has taken to its top. */
function returnInstructions(state: ProjectState, now: number): ProjectState {
  const { chat, instructions } = state;
  const upNext = [...instructions.map(asQueued), ...chat.upNext];
  return {
    ...state,
    instructions: [],
    chat: { ...chat, upNext, pause: chat.pause ?? { reason: "failed", pausedAt: now } },
  };
}

function asQueued({ id, content, attachments, context, author, createdAt }: Instruction) {
  return { id, content, attachments, context, author, createdAt, version: 1, editing: null };
}

/** The number of waiting messages: in Up next, steers that were not taken, and instructions. */
export function countWaiting({ chat, instructions }: ProjectState): number {
  return chat.upNext.length + chat.steers.length + instructions.length;
}

export const isFull = (state: ProjectState) => countWaiting(state) >= queueSize;

/** Fails the Deploy. Up next pauses, and the messages that wait for its agent go to its top. */
export function failRun(state: ProjectState, error: string, now: number): Step {
  return endRun(returnInstructions(state, now), { status: "failed", error }, now);
}

/**
 * Enters the agent's phase and starts its turn. `model` is null if no model can run; the turn then
 * reports that.
 */
export function startAgentPhase(
  state: ProjectState,
  { turnId, model }: { turnId: string; model: string | null },
  now: number,
): Step {
  const entered = startPhase(state, state.deploy?.isUpdate ? "updating" : "running_agent", now);
  const prepared = { ...entered.state, chat: { ...entered.state.chat, model } };
  const begun = startAgentTurn(prepared, { turnId }, now);
  return { state: begun.state, effects: [...entered.effects, ...begun.effects] };
}
