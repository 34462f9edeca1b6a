// The end of a run, as its cron hears of it: it is counted, and written in one round trip with the cron's row and its event. The key of the run
// dies with it.
import { tellActivity } from "../../src/actions/workspace/tell-activity.ts";
import { endedRun } from "../../src/cron/queries/runs.ts";
import { cronWrites } from "../../src/cron/queries/writes.ts";
import { cronRunEvent } from "../../src/cron/rules/events.ts";
import { type CronRun, endOfRun } from "../../src/cron/rules/run.ts";
import { runEnded } from "../../src/cron/rules/run-end.ts";
import { recordEvents } from "../../src/storage/queries/activity.ts";
import type { CronContext } from "./context.ts";

/** Safe to repeat. Throws if the run is to tell it again. A run of a deleted cron is written alone. */
export async function endRun(context: CronContext, run: CronRun, summary: string | null): Promise<void> {
  const { env, store } = context;
  const ended = endOfRun(run);
  if (ended === null) return;
  context.decide((state, now) => runEnded(state, ended, now));
  context.opened.settle(run.id);
  const event = cronRunEvent(run);
  const recorded = await context.withLock("index", async () => {
    const state = store.find();
    const writes = [...endedRun(env.DB, run, summary), ...(state ? cronWrites(env.DB, state) : [])];
    return await recordEvents(env.DB, event ? [event] : [], writes);
  });
  await tellActivity(env, recorded);
}
