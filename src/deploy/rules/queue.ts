// Up next of the Deploy Chat: sending a waiting message now, the resume, and the return of what a
// failed Deploy left untaken (Part 2, "Deploys").
import type { Actor } from "../../access/rules/actor.ts";
import { getQueuedMessage, type QueuedFacts, type QueuedMessage, without } from "../../chat/rules/queue.ts";
import { decided } from "../../rules/decision.ts";
import { queueSize } from "../../rules/limits.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import type { Instruction, ProjectDecision, ProjectState } from "./project-state.ts";
import { asJob, type ContinueFacts, continueWith, type DeployDelivery, isBusy } from "./send.ts";

/** Sends a waiting message now, ahead of the others. Only for its author, while nothing runs. */
export function sendQueuedToDeploy(
  state: ProjectState,
  { messageId, turnId, by }: { messageId: string; turnId: string; by: Actor },
  facts: ContinueFacts & QueuedFacts,
  now: number,
): ProjectDecision<Extract<DeployDelivery, { delivery: "job" }>> {
  const message = getQueuedMessage(state.chat, messageId, { action: "deploy-queue.change", by }, facts);
  if (isRefusal(message)) return message;
  if (isBusy(state)) return refuse("DEPLOY_ACTIVE", "The Deploy is running. The message is sent when it is done.");
  const continued = continueWithQueued(state, message, { ...facts, turnId }, now);
  return isRefusal(continued) ? continued : asJob(continued);
}

/**
 * Resumes a paused Up next. Its top message is sent as soon as nothing runs, or immediately if it
 * answers a clarification.
 */
export function resumeDeployQueue(
  state: ProjectState,
  { turnId }: { turnId: string },
  facts: ContinueFacts,
  now: number,
): ProjectDecision<null> {
  const [top] = state.chat.upNext;
  const resumed = { ...state, chat: { ...state.chat, pause: null } };
  if (top === undefined || isBusy(state)) return decided(resumed, null, [{ type: "index-project" }]);
  const continued = continueWithQueued(state, top, { ...facts, turnId }, now);
  return isRefusal(continued) ? continued : decided(continued.state, null, continued.effects);
}

/** Takes a message from Up next and continues with it. */
export function continueWithQueued(
  state: ProjectState,
  message: QueuedMessage,
  facts: ContinueFacts & { turnId: string },
  now: number,
) {
  const upNext = without(state.chat.upNext, message.id);
  return continueWith({ ...state, chat: { ...state.chat, upNext } }, asInstruction(message), facts, now);
}

/** The message as input of the agent's turn, with the time when its text was last written. */
function asInstruction({ version: _, editing: __, ...message }: QueuedMessage): Instruction {
  const { context, createdAt } = message;
  return { ...message, context: { ...context, writtenAt: context.writtenAt ?? createdAt } };
}

/**
 * The state in which the top message of Up next waits for the next turn. Unchanged if instructions
 * are already waiting or Up next is paused.
 */
export function withTop(state: ProjectState): ProjectState {
  const { chat, instructions } = state;
  const [top, ...upNext] = chat.upNext;
  if (top === undefined || chat.pause !== null || instructions.length > 0) return state;
  return { ...state, instructions: [asInstruction(top)], chat: { ...chat, upNext } };
}

/** Pauses Up next, and returns the instructions that no turn has taken to its top. */
export function withReturnedInstructions(state: ProjectState, now: number): ProjectState {
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
