// The scheduled sweeps, by name. Each has an object that works through its pages: see
// `durable-objects/sweep/`.

import { sweepActivity } from "../activity/record.ts";
import { sweepAudit } from "../audit/sweep.ts";
import { sweepSilentTurns } from "../chat/sweep.ts";
import { sweepMissedWebhooks } from "../code-host/sweep.ts";
import { sweepCronRuns, sweepCrons, sweepZones } from "../cron/sweep.ts";
import { sweepDeletions } from "../deletion/sweep.ts";
import { sweepUnusedMains } from "../deploy/sweep.ts";
import { sweepNotifications } from "../notification/sweep.ts";
import { refreshMarketplaces } from "../plugin/refresh.ts";
import { sweepSignIns } from "../provider-login/sweep.ts";
import { triggerRunsMs } from "../rules/limits.ts";
import { sweepEndedWork, sweepOldSlots, sweepUnusedBases } from "../sandbox/sweep.ts";
import { sweepUnconfirmedObjects } from "../storage/bodies.ts";
import { withReplicas } from "../storage/database.ts";
import { sweepCreates } from "../storage/idempotent-create.ts";
import { deleteOldTriggerRuns } from "../trigger/queries/runs.ts";
import { sweepSavedEvents } from "../webhook/sweep.ts";
import { sweepLostAlarms } from "./lost-alarms.ts";
import type { SweepName } from "./rules/sweep-name.ts";
import { sweepStaleSeals } from "./stale-seals.ts";
import type { Sweep } from "./sweep.ts";

const rowsPerSweep = 1_000;
/** More than a busy workspace creates in a minute, so that the table does not grow forever. */
const eventsPerSweep = 5_000;

export const sweeps: Record<SweepName, Sweep> = {
  "silent turns": lagging(sweepSilentTurns),
  creates: once((env, now) => sweepCreates(env.DB, now, rowsPerSweep)),
  "missed webhooks": sweepMissedWebhooks,
  activity: once((env, now) => sweepActivity(env.DB, now, eventsPerSweep)),
  "unconfirmed objects": once(sweepUnconfirmedObjects),
  "unused bases": sweepUnusedBases,
  "unused main sandboxes": lagging(sweepUnusedMains),
  "ended work": lagging(sweepEndedWork),
  "old slots": lagging(sweepOldSlots),
  "alarms of sessions": lagging(sweepLostAlarms("sessions")),
  "alarms of projects": lagging(sweepLostAlarms("projects")),
  "alarms of crons": lagging(sweepLostAlarms("crons")),
  removals: sweepDeletions,
  crons: lagging(sweepCrons),
  "cron runs": lagging(sweepCronRuns),
  "changed timezones": sweepZones,
  notices: sweepNotifications,
  "trigger runs": once((env, now) => deleteOldTriggerRuns(env.DB, now - triggerRunsMs, rowsPerSweep)),
  "webhook events": sweepSavedEvents,
  "alarms of webhooks": lagging(sweepLostAlarms("webhooks")),
  "sign-ins": sweepSignIns,
  marketplaces: (env, at) => refreshMarketplaces({ ...env, fetch: (...call) => fetch(...call) }, at),
  "stale seals": sweepStaleSeals,
  "audit log": sweepAudit,
};

/**
 * Wraps a sweep that only wakes objects. Each object decides by its own state, and what has ended
 * stays ended.
 */
function lagging(sweep: Sweep): Sweep {
  return (env, at) => sweep({ ...env, DB: withReplicas(env.DB) }, at);
}

/** A sweep of one page. */
function once(sweep: (env: Parameters<Sweep>[0], now: number) => Promise<unknown>): Sweep {
  return async (env, { now }) => {
    await sweep(env, now);
    return null;
  };
}
