// The Worker's entry point: requests to the API, requests to preview hosts, and scheduled sweeps.
import { app } from "./app.ts";
import type { Env } from "./env.ts";
import { refreshMarketplaces } from "./plugins/refresh.ts";
import { isUnderPreviewDomain } from "./preview/address.ts";
import { servePreview } from "./routes/preview-host.ts";
import { sweepCrons } from "./scheduled/crons.ts";
import { sweepEndedWork } from "./scheduled/ended-work.ts";
import { laggingDatabase } from "./scheduled/lagging-database.ts";
import { sweepLostAlarms } from "./scheduled/lost-alarms.ts";
import { sweepMissedWebhooks } from "./scheduled/missed-webhooks.ts";
import { sweepNotices } from "./scheduled/notices.ts";
import { sweepOldSlots } from "./scheduled/old-slots.ts";
import { sweepRemovals } from "./scheduled/removals.ts";
import { sweepSignIns } from "./scheduled/sign-ins.ts";
import { sweepSilentTurns } from "./scheduled/silent-turns.ts";
import { sweepStaleSeals } from "./scheduled/stale-seals.ts";
import { settleSweeps } from "./scheduled/sweeps.ts";
import { sweepUnusedBases } from "./scheduled/unused-bases.ts";
import { sweepUnusedMains } from "./scheduled/unused-mains.ts";
import { sweepUnconfirmedObjects } from "./storage/bodies.ts";
import { sweepActivity } from "./storage/queries/activity.ts";
import { sweepDeliveries } from "./storage/queries/code-host-deliveries.ts";
import { sweepCreates } from "./storage/queries/creates.ts";

export { CodeHostAccessObject } from "../durable-objects/code-host/access.ts";
export { CodeHostInboxObject } from "../durable-objects/code-host-inbox/code-host-inbox.ts";
export { CronObject } from "../durable-objects/cron/cron.ts";
export { CronRunObject } from "../durable-objects/cron-run/cron-run.ts";
export { LoginObject } from "../durable-objects/login/login.ts";
export { ProjectObject } from "../durable-objects/project/project.ts";
export { NoticeObject } from "../durable-objects/push/notice.ts";
export { ProviderTokenObject } from "../durable-objects/push/provider-token.ts";
export { RemovalObject } from "../durable-objects/removal/removal.ts";
export { SandboxContainer } from "../durable-objects/sandbox/container.ts";
export { SandboxObject } from "../durable-objects/sandbox/sandbox.ts";
export { SessionObject } from "../durable-objects/session/session.ts";
export { WorkspaceEventsObject } from "../durable-objects/workspace-events/workspace-events.ts";

const rowsPerSweep = 1_000;
/** More than a busy workspace makes in a minute, so that the table never grows for good. */
const eventsPerSweep = 5_000;

export default {
  async fetch(request, env, context) {
    if (isUnderPreviewDomain(new URL(request.url).host, env.PREVIEW_DOMAIN)) return servePreview(request, env);
    return app.fetch(request, env, context);
  },
  async scheduled(controller, env) {
    const now = controller.scheduledTime;
    // For the sweeps that only wake objects. These judge by what they know themselves, and what has ended stays so.
    const lagging = { ...env, DB: laggingDatabase(env.DB) };
    await settleSweeps({
      "silent turns": sweepSilentTurns(lagging, now),
      creates: sweepCreates(env.DB, now, rowsPerSweep),
      deliveries: sweepDeliveries(env.DB, now, rowsPerSweep),
      "missed webhooks": sweepMissedWebhooks(env, now),
      activity: sweepActivity(env.DB, now, eventsPerSweep),
      "unconfirmed objects": sweepUnconfirmedObjects(env, now),
      "unused bases": sweepUnusedBases(env, now),
      "unused main sandboxes": sweepUnusedMains(lagging, now),
      "ended work": sweepEndedWork(lagging, now),
      "old slots": sweepOldSlots(lagging, now),
      "lost alarms": sweepLostAlarms(lagging, now),
      removals: sweepRemovals(env, now),
      crons: sweepCrons(lagging, now),
      notices: sweepNotices(env, now),
      "sign-ins": sweepSignIns(env, now),
      marketplaces: refreshMarketplaces(
        { ...env, fetch: (...call) => fetch(...call), log: (line) => console.error(line) },
        now,
      ),
      "stale seals": sweepStaleSeals(env),
    });
  },
} satisfies ExportedHandler<Env>;
