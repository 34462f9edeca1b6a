// Performs the effects of a cron object.
import { tellPeople } from "../../src/actions/push/tell-people.ts";
import { tellActivity } from "../../src/actions/workspace/tell-activity.ts";
import { deleteCronRows } from "../../src/cron/queries/crons.ts";
import { writeCron } from "../../src/cron/queries/writes.ts";
import type { CronEffect, CronReminder, Reminder } from "../../src/rules/effect.ts";
import { recordEvents } from "../../src/storage/queries/activity.ts";
import { cronRunObject } from "../address.ts";
import type { Performed } from "../object/shell.ts";
import type { CronContext } from "./context.ts";
import { deleteOldRuns, deleteRuns } from "./effects-delete.ts";
import { openRuns } from "./open-runs.ts";

/** An answer is out after this time. */
const answerMs = 10;

/** Performs one effect. Safe to repeat: an outdated effect is skipped. */
export async function performCronEffect(
  context: CronContext,
  effect: Exclude<CronEffect, Reminder<CronReminder>>,
): Promise<Performed> {
  const { env } = context;
  switch (effect.type) {
    case "index-cron":
      return await indexCron(context);
    case "open-runs":
      return await openRuns(context, effect);
    case "stop-run":
      // A run that has ended meanwhile stays as it is.
      await cronRunObject(env, effect.runId).stop(effect.stop);
      return;
    case "forget-cron":
      return await context.withLock("index", () => deleteCronRows(env.DB, effect.cronId));
    case "delete-runs":
      return await deleteRuns(context, effect);
    case "delete-old-runs":
      return await deleteOldRuns(context, effect.cronId);
    case "record-events":
      // Behind the index, and behind the answer that waits for it: on one machine both would share a thread.
      await context.withLock("index", async () => {});
      await scheduler.wait(answerMs);
      return await context.withLock("events", async () => tellActivity(env, await recordEvents(env.DB, effect.events)));
    case "tell-people":
      return await tellPeople(env, effect.notice);
  }
}

async function indexCron({ env, store, shown, withLock }: CronContext): Promise<void> {
  await withLock("index", async () => {
    const state = store.find();
    if (state) shown.row = await writeCron(env.DB, state);
  });
}
