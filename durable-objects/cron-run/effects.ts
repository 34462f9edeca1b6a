// Performs the effects of a run object, and handles its reminders.

import { isUnfinished } from "../../src/chat/rules/turn.ts";
import { toCronRunEvent } from "../../src/cron/rules/activity-events.ts";
import { createCronAgentProfile } from "../../src/cron/rules/agent-profile.ts";
import {
  type CronRun,
  endOverdueRun,
  findSummary,
  recordPhases,
  startAgainMs,
  stopRun,
} from "../../src/cron/rules/run.ts";
import type { Env } from "../../src/env.ts";
import { createCronRunKey } from "../../src/key/queries/keys.ts";
import { toTurnModel } from "../../src/model/turn-model.ts";
import { notifyPeople } from "../../src/notification/notify.ts";
import { findRunNotification } from "../../src/notification/rules/audience.ts";
import { workspacePays } from "../../src/provider-login/rules/payer.ts";
import { decided } from "../../src/rules/decision.ts";
import type { CronRunEffect, CronRunReminder, Reminder } from "../../src/rules/effect.ts";
import { getMainSandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { TurnRequest } from "../../src/sandbox/turn-request.ts";
import { listEnabledSkills } from "../../src/skill/queries.ts";
import { builtInSkills } from "../../src/skill/rules/built-in-skills.ts";
import { parseSkillCall } from "../../src/skill/rules/skill-call.ts";
import type { UsagePlace } from "../../src/usage/queries.ts";
import { getCronObject, getSandboxObject } from "../address.ts";
import { handleChatReminder, performTurnEffect } from "../chat/effects.ts";
import type { CronRunContext } from "./context.ts";

/** Performs one effect. Safe to repeat: an outdated effect is skipped. */
export async function performRunEffect(
  context: CronRunContext,
  effect: Exclude<CronRunEffect, Reminder<CronRunReminder>>,
): Promise<void> {
  const { env, store, chat } = context;
  const state = store.find();
  if (!state) return;
  switch (effect.type) {
    case "report-end":
      return await reportEnd(context);
    case "tell-people":
      return await notifyPeople(env, effect.notice);
    default:
      return await performTurnEffect(
        {
          ...{ env, chat, turnOwner: { type: "cron-run", id: state.run.id, cronId: state.run.cronId } },
          usagePlace: () => getUsagePlace(state.run),
          start: () => startRun(context),
          findTurnSandbox: () => getSandboxObject(env, state.run.mainSandboxKey),
        },
        effect,
      );
  }
}

/** The usage of a run counts for its cron, because no member sent it. */
function getUsagePlace({ id, workspaceId, projectId, cronId }: CronRun): UsagePlace {
  return { workspaceId, projectId, owner: { type: "cron-run", id, cronId }, memberId: null, cronId, triggerId: null };
}

/** Handles a reminder that is due. */
export async function handleRunReminder(context: CronRunContext, name: CronRunReminder): Promise<void> {
  const { env, store, chat, decide } = context;
  const state = store.find();
  if (!state) return;
  if (name === "forget-log") return store.log.clear();
  if (name === "deadline") return void decide(endOverdueRun);
  if (name === "watch-turn" && state.chat.turn?.status === "pending") {
    // Until the deadline it is not a failure if there is no room for a sandbox, or if a host does
    // not respond.
    decide((current, now) =>
      decided(current, null, [
        { type: "remind", name: "watch-turn", at: now + startAgainMs },
        ...(isUnfinished(current.chat.turn) ? [{ type: "start-turn" as const, id: current.run.id }] : []),
      ]),
    );
    return;
  }
  await handleChatReminder(chat, getSandboxObject(env, state.run.mainSandboxKey), name);
}

/** Reports the end to the cron, which records it, and notifies the cron's creator. */
async function reportEnd({ env, store, chat, decide }: CronRunContext): Promise<void> {
  const { run } = store.find() ?? {};
  if (!run || run.status === "running") return;
  const notice = findRunNotification(toCronRunEvent(run), { ...run, runId: run.id }, run.completedAt ?? Date.now());
  // A separate effect, so that neither delays the other.
  if (notice) decide((state) => decided(state, null, [{ type: "tell-people", id: notice.id, notice }]));
  await getCronObject(env, run.cronId).runEnded(run, findSummary(chat.conversation.readReply(run.id)));
}

/**
 * Wakes the main sandbox of the run's project and hands it the run. Throws if the attempt must be
 * repeated, which it is until the run's deadline.
 */
async function startRun(context: CronRunContext): Promise<void> {
  const { env, store, chat, decide } = context;
  const state = store.find();
  if (state?.chat.turn?.status !== "pending") return;
  const { run } = state;
  const model = toTurnModel(run.model);
  if (model === null) {
    const error = `The model ${run.model} is no longer in the catalog. Choose another one for the cron.`;
    const stop = { status: "failed", error, errorCode: "model_unavailable", source: null, by: null } as const;
    return void decide((current, now) => stopRun(current, stop, now));
  }
  const prompt = chat.conversation.getFirstMessage(run.id).content;
  const skill = parseSkillCall(prompt, run.model);
  const agentToken = context.key.value ?? (await createKey(context, run));
  const request: TurnRequest = {
    owner: { type: "cron-run", id: run.id, cronId: run.cronId },
    sandboxOwner: getMainSandboxOwner({ id: run.projectId, workspaceId: run.workspaceId, targetBranch: run.branch }),
    turnId: run.id,
    model,
    payer: workspacePays,
    prompt,
    skill,
    answers: null,
    profile: createCronAgentProfile(run, skill === null ? [] : await skillsElsewhere(env, run)),
    attachments: [],
    agentToken,
    conversation: { id: run.id, isNew: true, handover: null },
  };
  const outcome = await getSandboxObject(env, run.mainSandboxKey).startTurn(request);
  if (outcome.taken) {
    const { runningAt, credentialsReadyAt, requestedAt } = outcome.phases;
    const phases = { mainWokenAt: runningAt, credentialsReadyAt, agentRequestedAt: requestedAt, startError: null };
    return void decide((current) => recordPhases(current, phases));
  }
  const startError = outcome.conversationMissing ? "The conversation could not be started." : outcome.error;
  decide((current) => recordPhases(current, { startError }));
  if (store.find()?.run.status === "running") throw new Error(startError);
}

/**
 * The names of the skills that a session of the creator would have besides those of its checkout.
 * The creator's own skills are included only if the creator wrote the prompt.
 */
async function skillsElsewhere(env: Env, { workspaceId, createdBy, bounds }: CronRun): Promise<string[]> {
  const kept = await listEnabledSkills(env.DB, workspaceId, bounds.writer === null ? createdBy : null).all();
  return [...builtInSkills, ...kept].map(({ name }) => name);
}

/** Issues a new key for the run, when this object lost the first one with its memory. */
async function createKey({ env, key }: CronRunContext, run: CronRun): Promise<string> {
  const { token, insertion } = await createCronRunKey(env.DB, { ...run, runId: run.id }, Date.now());
  await insertion.run();
  key.value = token;
  return token;
}
