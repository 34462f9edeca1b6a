// The delivery of a message to the Deploy Chat (Part 2, "Rules for sending a message to the Deploy
// Chat").
import { getAuthor, type Sender } from "../../access/rules/actor.ts";
import type { ClarificationQuestion } from "../../chat/rules/block.ts";
import { type Answer, toChosenOptions, withOptions } from "../../chat/rules/clarification.ts";
import { getWriter, type MessageBody, withWriter } from "../../chat/rules/message.ts";
import { addToQueue } from "../../chat/rules/queue.ts";
import { isUnfinished } from "../../chat/rules/turn.ts";
import { decided } from "../../rules/decision.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { startAgentPhase } from "./agent-turn.ts";
import { type BillingFacts, checkBilling } from "./billing.ts";
import {
  type Deploy,
  type Instruction,
  isLive,
  type ProjectDecision,
  type ProjectState,
  type Step,
  startPhase,
} from "./project-state.ts";
import { isFull } from "./queue.ts";
import { isStopping, seenStopped } from "./start.ts";
import { type DeployStatus, getDeployWork, isAtWork } from "./status.ts";

export interface DeployMessage {
  messageId: string;
  turnId: string;
  body: MessageBody;
  /** The chosen options of the open clarification. */
  answers: readonly Answer[];
  by: Sender;
}

export interface ContinueFacts extends BillingFacts {
  /** The model of the next turn; null if none can run. */
  model: string | null;
  /** False if the sandbox left by a first Deploy is gone or cannot be restored. */
  canResume: boolean;
}

export interface DeployMessageFacts extends ContinueFacts {
  /**
   * True if the Deploy that the sender saw was stopped, is being stopped, or was replaced while it
   * ran.
   */
  seenWasStopped: boolean;
  /** The questions of the newest turn. They apply only while the Deploy waits for their answer. */
  questions: readonly ClarificationQuestion[];
}

export type DeployDelivery =
  | { delivery: "job"; status: DeployStatus; deployId: string }
  | { delivery: "steer"; status: DeployStatus; deployId: string; instructionId: string }
  | { delivery: "queued"; queuedMessageId: string };

/**
 * True for a Deploy that was stopped, is being stopped, or was replaced while it ran. False for one
 * that ended by itself.
 */
export function isStopped(deploy: Pick<Deploy, "status"> | null): boolean {
  return deploy?.status === "cancelled";
}

/** Delivers a message: it waits in Up next, joins the agent's first turn, or starts a turn. */
export function sendToDeploy(
  state: ProjectState,
  message: DeployMessage,
  facts: DeployMessageFacts,
  now: number,
): ProjectDecision<DeployDelivery> {
  const { deploy } = state;
  if (facts.seenWasStopped) return seenStopped;
  if (deploy === null) return refuse("NOT_DEPLOYED");
  const work = getDeployWork(deploy.status);
  const answers = toChosenOptions(work === "waiting" ? facts.questions : [], message.answers);
  if (isRefusal(answers)) return answers;
  const { messageId: id, body, by } = message;
  const author = getAuthor(by);
  const written = withWriter(withOptions(body, answers), getWriter(by), author);
  const said: Instruction = { ...written, id, author, createdAt: now };
  const isQueued = work === "agent" || isStopping(state);
  if ((isQueued || work === "building") && isFull(state)) return refuse("QUEUE_FULL");
  if (isQueued) {
    const queued = addToQueue(state.chat, { ...said, version: 1, editing: null });
    if (isRefusal(queued)) return queued;
    return decided({ ...state, chat: queued }, { delivery: "queued", queuedMessageId: id });
  }
  if (work === "building") {
    const { status, id: deployId } = deploy;
    const instructions = [...state.instructions, said];
    return decided({ ...state, instructions }, { delivery: "steer", status, deployId, instructionId: id });
  }
  const continued = continueWith(state, said, { turnId: message.turnId, ...facts }, now);
  return isRefusal(continued) ? continued : asJob(continued);
}

/** The result for a message with which the Deploy continues. */
export function asJob({ state, effects }: Step): ProjectDecision<Extract<DeployDelivery, { delivery: "job" }>> {
  const { status = "deployed", id: deployId = "" } = state.deploy ?? {};
  return decided(state, { delivery: "job", status, deployId }, effects);
}

/** Refuses to continue if there is no sandbox to continue in. Null if a message may start work. */
function checkContinue(state: ProjectState, facts: ContinueFacts): Refusal | null {
  const { deploy } = state;
  const unpaid = checkBilling(facts);
  if (unpaid) return unpaid;
  if (deploy === null || !hasSandbox(state, deploy)) return refuse("NOT_DEPLOYED");
  return isLive(state) || facts.canResume ? null : refuse("DEPLOY_RESUME_UNAVAILABLE");
}

/**
 * True if there is a sandbox to continue in: the live one, or the sandbox of a Deploy that waits,
 * was stopped or has failed.
 */
function hasSandbox(state: ProjectState, deploy: Deploy): boolean {
  if (isAtWork(deploy.status) && !deploy.isUpdate) return deploy.sandboxKey !== null;
  return isLive(state) ? !state.isMainReclaimed : deploy.sandboxKey !== null;
}

/**
 * Continues the Deploy with a message while its agent is idle. The message answers a clarification,
 * starts an update of the live project, or resumes a stopped or failed first Deploy in the phase
 * that it needs. Up next resumes.
 */
export function continueWith(
  state: ProjectState,
  message: Instruction,
  { turnId, ...facts }: ContinueFacts & { turnId: string },
  now: number,
): Step | Refusal {
  const { deploy, chat } = state;
  const refusal = checkContinue(state, facts);
  if (refusal || deploy === null) return refusal ?? refuse("NOT_DEPLOYED");
  const isAnswer = deploy.status === "awaiting_user";
  const isUpdate = isAnswer ? deploy.isUpdate : isLive(state);
  const resumed: ProjectState = {
    ...state,
    instructions: [...state.instructions, message],
    deploy: {
      ...deploy,
      isUpdate,
      error: null,
      completedAt: null,
      startedAt: isAnswer ? deploy.startedAt : now,
    },
    chat: { ...chat, pause: null },
  };
  if (isUpdate || deploy.hasAgentRun) return startAgentPhase(resumed, { turnId, model: facts.model }, now);
  return startPhase({ ...resumed, deploy: { ...deploy, ...resumed.deploy, problems: [] } }, "creating_sandbox", now);
}

/**
 * True while the agent works or the sandbox is being built, so that no queued message can be sent
 * manually.
 */
export function isBusy(state: ProjectState): boolean {
  const work = state.deploy === null ? "none" : getDeployWork(state.deploy.status);
  return work === "agent" || work === "building" || isUnfinished(state.chat.turn);
}
