// Performs the effects of a project object, and handles its reminders.

import { service } from "../../src/access/rules/actor.ts";
import { cancelTurn } from "../../src/chat/rules/stop.ts";
import { isUnfinished, publishUsage, type Turn } from "../../src/chat/rules/turn.ts";
import { stopReplacedRuns } from "../../src/cron/stop-runs.ts";
import { indexDeploy } from "../../src/deploy/queries.ts";
import { isHoldingSessions } from "../../src/deploy/rules/held-sessions.ts";
import { recordPhaseOverdue } from "../../src/deploy/rules/phase.ts";
import { isLive, type ProjectState } from "../../src/deploy/rules/project-state.ts";
import { endLeaving } from "../../src/deploy/rules/promotion.ts";
import { getShownStatus } from "../../src/deploy/rules/status.ts";
import { createId } from "../../src/lib/ids.ts";
import { findProject, toRecord } from "../../src/project/queries.ts";
import { decided } from "../../src/rules/decision.ts";
import type { ProjectEffect, ProjectReminder, Reminder } from "../../src/rules/effect.ts";
import { deleteAttachments, deleteOwnedObjects } from "../../src/storage/attachments.ts";
import type { UsagePlace } from "../../src/usage/queries.ts";
import { recordAndSend } from "../../src/webhook/record.ts";
import { getSandboxObject, getWorkspaceEventsObject } from "../address.ts";
import { handleChatReminder, performTurnEffect } from "../chat/effects.ts";
import { waitForUsageReport } from "../chat/model-calls.ts";
import type { ProjectContext } from "./context.ts";
import { followTarget } from "./deploy/main-sandbox.ts";
import { findModelNow, performPhase } from "./deploy/phases.ts";
import { restoreSettings } from "./deploy/settings.ts";
import { endSpares, updatePool } from "./deploy/spare-pool.ts";
import { startDeployTurn } from "./deploy/start-turn.ts";

type Performed = Exclude<ProjectEffect, Reminder<ProjectReminder>>;

/** Performs one effect. Safe to repeat: an outdated effect is skipped. */
export async function performProjectEffect(context: ProjectContext, effect: Performed): Promise<void> {
  const { env, store, chat } = context;
  if (effect.type === "record-events") return await recordAndSend(env, effect);
  if (effect.type === "destroy-sandbox") return await destroySandbox(context, effect.id);
  const state = store.find();
  if (!state) return;
  const owner = { type: "project", id: state.id } as const;
  switch (effect.type) {
    case "work-on-phase":
      return await performPhase(context, effect.id);
    case "tend-pool":
      return await updatePool(context);
    case "follow-target":
      return await followTarget(context);
    case "put-settings-back":
      return await restoreSettings(context, effect.id);
    case "index-project":
      return await indexDeploy(env.DB, {
        projectId: state.id,
        deployStatus: getShownStatus(state),
        isLive: isLive(state),
        holdsSessionsUp: isHoldingSessions(state),
        isMainReclaimed: state.isMainReclaimed,
      });
    case "publish-project":
      return await publishProject(context, state);
    case "drop-attachments":
      return await deleteAttachments(env, owner, effect.attachmentIds);
    default:
      return await performTurnEffect(
        {
          ...{ env, chat, turnOwner: owner },
          usagePlace: (workId) => getUsagePlace(context, state, workId),
          start: (turn) => start(context, turn),
          findTurnSandbox: (turnId) => findTurnSandbox(context, turnId),
        },
        effect,
      );
  }
}

/** The row may not have the status yet, because its effect runs at the same time. */
async function publishProject({ env }: ProjectContext, state: ProjectState): Promise<void> {
  const project = await findProject(env.DB, state.id);
  if (project === null) return;
  const shown = { ...toRecord(project), deployStatus: getShownStatus(state) };
  await getWorkspaceEventsObject(env, state.workspaceId).publish([{ type: "project-changed", project: shown }]);
}

/**
 * Ends a sandbox. Before that, stops a cron run that was being opened in it when another sandbox
 * became live.
 */
async function destroySandbox({ env, store }: ProjectContext, sandboxKey: string): Promise<void> {
  const { id, liveSandboxKey = null } = store.find() ?? {};
  if (id !== undefined && liveSandboxKey !== null) await stopReplacedRuns(env, id, liveSandboxKey);
  await getSandboxObject(env, sandboxKey).destroy();
}

/** Where the usage of a turn is counted. */
function getUsagePlace({ chat }: ProjectContext, { id, workspaceId }: ProjectState, workId: string): UsagePlace {
  const sender = chat.store.turn(workId)?.sender;
  const memberId = sender?.kind === "member" ? sender.userId : null;
  return { workspaceId, projectId: id, owner: { type: "project", id }, memberId, cronId: null, triggerId: null };
}

/** The sandbox that a turn runs in; null for an unknown turn. */
function findTurnSandbox({ env, store }: ProjectContext, turnId: string | null) {
  const key = turnId && store.turnPlace(turnId)?.sandboxKey;
  return key ? getSandboxObject(env, key) : null;
}

async function start(context: ProjectContext, turn: Turn): Promise<void> {
  const error = await startDeployTurn(context, turn);
  if (error === null || !isUnfinished(context.chat.store.turn(turn.id))) return;
  context.chat.owner.endTurn(turn.id, { status: "failed", error, errorCode: null });
}

/** Handles a reminder that is due. */
export async function handleProjectReminder(context: ProjectContext, name: ProjectReminder): Promise<void> {
  const { store, chat, decide } = context;
  switch (name) {
    case "phase-overdue": {
      const current = store.find();
      const model = current && (await findModelNow(context, current));
      return void decide((state, now) => recordPhaseOverdue(state, { nextTurnId: createId(now), model }, now));
    }
    // As effects, because the alarm waits for a reminder: a spare takes minutes to come up, and the
    // deadlines of turns and phases come due meanwhile.
    case "tend-pool":
    case "follow-target":
      return void decide((state) => decided(state, null, [{ type: name }]));
    case "end-sandboxes":
      return void decide((state, now) => endLeaving(state, now));
    case "watch-turn":
    case "tell-usage":
    case "stop-overdue": {
      const sandbox = findTurnSandbox(context, store.find()?.chat.turn?.id ?? null);
      // Without a sandbox nothing runs the turn.
      return await handleChatReminder(chat, sandbox ?? { probe: async () => ({ sandbox: "gone" }) }, name);
    }
  }
}

/**
 * Stops what is running and deletes everything that the project stored, its sandboxes included.
 * Safe to repeat.
 */
export async function deleteProject({ env, store, chat, shell }: ProjectContext): Promise<void> {
  const state = store.find();
  if (state === null) return;
  const { turn } = state.chat;
  chat.owner.decide(service, publishUsage);
  if (turn !== null) await waitForUsageReport({ shell }, turn.id);
  if (isUnfinished(turn)) chat.owner.decide(service, (current, now) => cancelTurn(current, { turnId: turn.id }, now));
  const keys = [state.deploy?.sandboxKey, state.liveSandboxKey, ...state.leaving.map(({ sandboxKey }) => sandboxKey)];
  const effects = [...new Set(keys)].flatMap((sandboxKey): ProjectEffect[] =>
    typeof sandboxKey === "string" ? [{ type: "destroy-sandbox", id: sandboxKey }] : [],
  );
  await endSpares(env, state.id);
  await deleteOwnedObjects(env, { type: "project", id: state.id });
  shell.decide(() => decided(null, null, [...effects, { type: "forget-all" }]));
}
