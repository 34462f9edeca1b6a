// Starts a run: the main sandbox of its project is woken and takes it. What fails is tried again, until the deadline of the run.

import { cronAgentProfile } from "../../src/cron/rules/agent-profile.ts";
import { type CronRun, notePhases, stopRun } from "../../src/cron/rules/run.ts";
import { ownBounds } from "../../src/cron/rules/writer.ts";
import type { Env } from "../../src/env.ts";
import { turnModel } from "../../src/models/turn-model.ts";
import { workspacePays } from "../../src/rules/model/payer.ts";
import { mainSandboxOwner } from "../../src/rules/sandbox/owner.ts";
import { factorySkills } from "../../src/rules/skill/factory-skill.ts";
import { skillCall } from "../../src/rules/skill/skill-call.ts";
import type { TurnRequest } from "../../src/sandbox/turn-request.ts";
import { newCronRunKey } from "../../src/storage/queries/keys.ts";
import { enabledSkills } from "../../src/storage/queries/skills.ts";
import { sandboxObject } from "../address.ts";
import type { CronRunContext } from "./context.ts";

/** Hands the run to its sandbox. Throws if it is to be tried again. */
export async function startRun(context: CronRunContext): Promise<void> {
  const { env, store, chat, decide } = context;
  const state = store.find();
  if (state?.chat.turn?.status !== "pending") return;
  const { run } = state;
  const model = turnModel(run.model);
  if (model === null) {
    const error = `The model ${run.model} is no longer in the catalog. Choose another one for the cron.`;
    const stop = { status: "failed", error, errorCode: "model_unavailable", source: null, by: null } as const;
    return void decide((current, now) => stopRun(current, stop, now));
  }
  const prompt = chat.conversation.firstMessageOf(run.id).content;
  const skill = skillCall(prompt, run.model);
  const agentToken = context.key.value ?? (await newKey(context, run));
  const request: TurnRequest = {
    owner: { type: "cron-run", id: run.id, cronId: run.cronId },
    sandboxOwner: mainSandboxOwner({ id: run.projectId, workspaceId: run.workspaceId, targetBranch: run.branch }),
    turnId: run.id,
    model,
    payer: workspacePays,
    prompt,
    skill,
    answers: null,
    profile: cronAgentProfile(run, skill === null ? [] : await skillsElsewhere(env, run)),
    attachments: [],
    agentToken,
    conversation: { id: run.id, isNew: true, handover: null },
  };
  const outcome = await sandboxObject(env, run.mainSandboxKey).startTurn(request);
  if (outcome.taken) {
    const { runningAt, credentialsReadyAt, requestedAt } = outcome.phases;
    const phases = { mainWokenAt: runningAt, credentialsReadyAt, agentRequestedAt: requestedAt, startError: null };
    return void decide((current) => notePhases(current, phases));
  }
  const startError = outcome.conversationMissing ? "The conversation could not be begun." : outcome.error;
  decide((current) => notePhases(current, { startError }));
  if (store.find()?.run.status === "running") throw new Error(startError);
}

/** The names of the skills that a session of the creator would reach, beside those of its checkout. Nobody else's prompt learns the creator's. */
async function skillsElsewhere(env: Env, { workspaceId, createdBy, bounds = ownBounds }: CronRun): Promise<string[]> {
  const kept = await enabledSkills(env.DB, workspaceId, bounds.writer === null ? createdBy : null).all();
  return [...factorySkills, ...kept].map(({ name }) => name);
}

/** A key of the run, where its first one was lost with the memory of this object. */
async function newKey({ env, key }: CronRunContext, run: CronRun): Promise<string> {
  const { token, insertion } = await newCronRunKey(env.DB, { ...run, runId: run.id }, Date.now());
  await insertion.run();
  key.value = token;
  return token;
}
