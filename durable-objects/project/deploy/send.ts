// The calls of members on a Deploy: start, send a message, send a waiting message now, resume,
// stop, and choose a model.

import type { Actor } from "../../../src/access/rules/actor.ts";
import { findDeployModel, saveDeployModel } from "../../../src/deploy/rules/model.ts";
import { isLive } from "../../../src/deploy/rules/project-state.ts";
import { resumeDeployQueue, sendQueuedToDeploy } from "../../../src/deploy/rules/queue.ts";
import { type ContinueFacts, type DeployDelivery, isStopped, sendToDeploy } from "../../../src/deploy/rules/send.ts";
import { type Started, startDeploy } from "../../../src/deploy/rules/start.ts";
import { isAtWork } from "../../../src/deploy/rules/status.ts";
import { type StoppedDeploy, stopDeploy } from "../../../src/deploy/rules/stop.ts";
import { createId, createName } from "../../../src/lib/ids.ts";
import { catalog } from "../../../src/model/catalog.ts";
import type { Idempotency } from "../../../src/rules/idempotency.ts";
import { sandboxKeyCharacters } from "../../../src/rules/limits.ts";
import { isRefusal, type Refusal } from "../../../src/rules/refusal.ts";
import { createSandboxKey } from "../../../src/sandbox/rules/sandbox-key.ts";
import { getSandboxObject } from "../../address.ts";
import type { ProjectContext } from "../context.ts";
import type { MessageRequest, OnceResult, ProjectFacts, StartRequest } from "../rpc.ts";

/** Waits until lists and sessions can see the state of the Deploy. */
async function indexed<Result>({ shell }: ProjectContext, result: Result): Promise<Result> {
  if (!isRefusal(result)) await shell.settled({ type: "index-project" });
  return result;
}

/**
 * Waits for a promotion in progress. A promotion is one statement, and a call that stops or
 * replaces the Deploy must wait for it.
 */
async function switched({ store, shell }: ProjectContext): Promise<void> {
  const { deploy } = store.find() ?? {};
  if (deploy?.isSwitching) await shell.settled({ type: "work-on-phase", id: deploy.phaseId });
}

/** Runs a call once for all requests that repeat it. */
async function once<Result>(
  context: ProjectContext,
  repeat: Idempotency | null,
  work: () => Promise<Result | Refusal>,
): Promise<OnceResult<Result> | Refusal> {
  let isRepeat = true;
  const result = await context.once.run(repeat, async () => {
    isRepeat = false;
    return await indexed(context, await work());
  });
  return isRefusal(result) ? result : { result, isRepeat };
}

/**
 * Starts a Deploy in a new sandbox. The first Deploy gets the sandbox key that was generated for
 * the project.
 */
export function start(
  context: ProjectContext,
  facts: ProjectFacts,
  { by, opening, onlyIfIdle, seenDeployId }: StartRequest,
  repeat: Idempotency | null,
): Promise<OnceResult<Started> | Refusal> {
  return once(context, repeat, async () => {
    await switched(context);
    return context.decideOnce(facts, repeat, (state, now) => {
      const isFirst = state.deploy === null && !isLive(state);
      const key = isFirst ? facts.mainSandboxKey : createSandboxKey("main", createName(sandboxKeyCharacters));
      const first = opening && { ...opening, id: createId(now) };
      const command = { deployId: createId(now), sandboxKey: key, by, opening: first, onlyIfIdle };
      return startDeploy(state, command, { ...facts, seenWasStopped: wasStopped(context, seenDeployId) }, now);
    });
  });
}

/** True if the Deploy that a sender saw was stopped. */
function wasStopped({ store }: ProjectContext, seenDeployId: string | null = null): boolean {
  return seenDeployId !== null && isStopped(store.deploy(seenDeployId));
}

/** Delivers a message. */
export function send(
  context: ProjectContext,
  facts: ProjectFacts,
  { by, body, answers, seenDeployId }: MessageRequest,
  repeat: Idempotency | null,
): Promise<OnceResult<DeployDelivery> | Refusal> {
  return once(context, repeat, async () => {
    const continues = await continueFacts(context, facts);
    const message = { messageId: createId(), turnId: createId(), body, answers, by };
    return context.decideOnce(facts, repeat, (state, now) =>
      sendToDeploy(
        state,
        message,
        {
          ...continues,
          seenWasStopped: wasStopped(context, seenDeployId),
          questions: answers.length === 0 ? [] : context.chat.conversation.listQuestions(state.chat.turn?.id ?? ""),
        },
        now,
      ),
    );
  });
}

/** The facts for work that continues. Checks whether a saved sandbox can still be resumed. */
async function continueFacts(context: ProjectContext, facts: ProjectFacts): Promise<ContinueFacts> {
  const state = context.stateFor(facts);
  const { deploy, savedModel } = state;
  const isKept = deploy?.hasAgentRun === true && !isLive(state) && !isAtWork(deploy.status);
  const keptKey = isKept ? deploy.sandboxKey : null;
  const canResume = keptKey === null || !(await getSandboxObject(context.env, keptKey).isLost());
  const model = findDeployModel(savedModel, { catalog, runnable: facts.runnable });
  const { isBlockedOnBilling, workspaceSpend } = facts;
  return { isBlockedOnBilling, workspaceSpend, model, canResume };
}

/** Sends a waiting message now. */
export async function sendQueued(
  context: ProjectContext,
  facts: ProjectFacts,
  { messageId, by }: { messageId: string; by: Actor },
  repeat: Idempotency | null,
): Promise<DeployDelivery | Refusal> {
  const sent = await once(context, repeat, async () => {
    const continues = await continueFacts(context, facts);
    const hasLeft = context.chat.store.hasLeft(messageId);
    const command = { messageId, turnId: createId(), by };
    return context.decideOnce(facts, repeat, (state, now) =>
      sendQueuedToDeploy(state, command, { ...continues, hasLeft }, now),
    );
  });
  return isRefusal(sent) ? sent : sent.result;
}

/** Resumes a paused Up next. */
export async function resume(
  context: ProjectContext,
  facts: ProjectFacts,
  repeat: Idempotency | null,
): Promise<Refusal | null> {
  const resumed = await once(context, repeat, async () => {
    const continues = await continueFacts(context, facts);
    const turnId = createId();
    return context.decideOnce(facts, repeat, (state, now) => resumeDeployQueue(state, { turnId }, continues, now));
  });
  return isRefusal(resumed) ? resumed : null;
}

/** Stops the Deploy that is running or waiting. */
export async function stop(context: ProjectContext, facts: ProjectFacts): Promise<StoppedDeploy | Refusal> {
  await switched(context);
  const stopped = context.decideOnce(facts, null, stopDeploy);
  return await indexed(context, stopped);
}

/** Chooses the model of the next turns (Part 2, "Deploys"). */
export function chooseModel(context: ProjectContext, facts: ProjectFacts, model: string): string | Refusal {
  const modelFacts = { catalog, runnable: facts.runnable };
  return context.decideOnce(facts, null, (state) => saveDeployModel(state, model, modelFacts));
}
