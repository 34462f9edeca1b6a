// Performs the effects of a run object, and handles its reminders.
import { tellPeople } from "../../src/actions/push/tell-people.ts";
import { cronRunEvent } from "../../src/cron/rules/events.ts";
import { type CronRun, deadlinePassed, startAgainMs, summaryOf } from "../../src/cron/rules/run.ts";
import { isUnfinished } from "../../src/rules/chat/turn.ts";
import { decided } from "../../src/rules/decision.ts";
import type { CronRunEffect, CronRunReminder, Reminder } from "../../src/rules/effect.ts";
import { usageByDay } from "../../src/rules/model/usage.ts";
import { runNotice } from "../../src/rules/push/told-events.ts";
import { indexUsage, type UsagePlace } from "../../src/storage/queries/usage.ts";
import { cronObject, sandboxObject } from "../address.ts";
import { askSandbox, remindChat } from "../chat/effects.ts";
import type { CronRunContext } from "./context.ts";
import { startRun } from "./effects-start.ts";

/** Performs one effect. Safe to repeat: an outdated effect is skipped. */
export async function performRunEffect(
  context: CronRunContext,
  effect: Exclude<CronRunEffect, Reminder<CronRunReminder>>,
): Promise<void> {
  const { env, store, chat } = context;
  const state = store.find();
  if (!state) return;
  switch (effect.type) {
    case "start-turn":
      return await startRun(context);
    case "stop-turn":
    case "release-sandbox":
      return await askSandbox(chat, sandboxObject(env, state.run.mainSandboxKey), effect);
    case "index-usage":
      return await indexUsage(
        env.DB,
        usagePlaceOf(state.run),
        effect.workId,
        usageByDay(chat.store.calls.of(effect.workId)),
      );
    case "report-end":
      return await reportEnd(context);
    case "tell-people":
      return await tellPeople(env, effect.notice);
  }
}

/** A run is nobody's message: its usage is the cron's. */
function usagePlaceOf({ id, workspaceId, projectId, cronId }: CronRun): UsagePlace {
  return { workspaceId, projectId, owner: { type: "cron-run", id, cronId }, memberId: null, cronId };
}

/** Handles a reminder that is due. */
export async function remindRun(context: CronRunContext, name: CronRunReminder): Promise<void> {
  const { env, store, chat, decide } = context;
  const state = store.find();
  if (!state) return;
  if (name === "forget-log") return store.log.clear();
  if (name === "deadline") return void decide(deadlinePassed);
  if (name === "watch-turn" && state.chat.turn?.status === "pending") {
    // No room for a sandbox, or a host that does not answer, is no failure before the deadline.
    decide((current, now) =>
      decided(current, null, [
        { type: "remind", name: "watch-turn", at: now + startAgainMs },
        ...(isUnfinished(current.chat.turn) ? [{ type: "start-turn" as const, turnId: current.run.id }] : []),
      ]),
    );
    return;
  }
  await remindChat(chat, sandboxObject(env, state.run.mainSandboxKey), name);
}

/** Tells the cron, which records it, and the cron's creator. */
async function reportEnd({ env, store, decide }: CronRunContext): Promise<void> {
  const { run } = store.find() ?? {};
  if (!run || run.status === "running") return;
  const notice = runNotice(cronRunEvent(run), { ...run, runId: run.id }, run.completedAt ?? Date.now());
  // An effect of its own, so that neither holds the other up.
  if (notice) decide((state) => decided(state, null, [{ type: "tell-people", notice }]));
  await cronObject(env, run.cronId).runEnded(run, summaryOf(store.reply(run.id)));
}
