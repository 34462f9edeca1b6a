// The Worker's entry point: requests to the API, requests to preview hosts, and scheduled sweeps.
import { getSweepObject } from "../durable-objects/address.ts";
import { app } from "./app.ts";
import type { Env } from "./env.ts";
import { runInLanes } from "./lib/concurrency.ts";
import { log } from "./lib/log.ts";
import { EgressRoute } from "./network/egress-route.ts";
import { isUnderPreviewDomain } from "./preview/host/address.ts";
import { handlePreview } from "./preview/host/route.ts";
import { sweepNames } from "./sweeps/rules/sweep-name.ts";

export { CodeHostTokenObject } from "../durable-objects/code-host/token.ts";
export { WebhookInboxObject } from "../durable-objects/code-host/webhook-inbox.ts";
export { CronObject } from "../durable-objects/cron/cron.ts";
export { CronRunObject } from "../durable-objects/cron-run/cron-run.ts";
export { DeletionObject } from "../durable-objects/deletion/deletion.ts";
export { ApnsTokenObject } from "../durable-objects/notification/apns-token.ts";
export { NotificationObject } from "../durable-objects/notification/notification.ts";
export { ProjectObject } from "../durable-objects/project/project.ts";
export { ProviderLoginObject } from "../durable-objects/provider-login/provider-login.ts";
export { SandboxContainer } from "../durable-objects/sandbox/container.ts";
export { SandboxObject } from "../durable-objects/sandbox/sandbox.ts";
export { SessionObject } from "../durable-objects/session/session.ts";
export { SweepObject } from "../durable-objects/sweep/sweep.ts";
export { WebhookObject } from "../durable-objects/webhook/webhook.ts";
export { WorkspaceEventsObject } from "../durable-objects/workspace-events/workspace-events.ts";

/** The way out of sandboxes: the platform calls it for their requests. */
export class SandboxEgress extends EgressRoute {
  protected override serve(request: Request, env: Env): Response | Promise<Response> {
    return app.fetch(request, env, this.ctx);
  }
}

export default {
  async fetch(request, env, context) {
    if (isUnderPreviewDomain(new URL(request.url).host, env.PREVIEW_DOMAIN)) return handlePreview(request, env);
    return app.fetch(request, env, context);
  },
  async scheduled(controller, env) {
    await runInLanes(
      sweepNames,
      sweepNames.length,
      (name) => getSweepObject(env, name).tick(name, controller.scheduledTime),
      (name, error) => log.warn("sweep.not_started", { sweep: name, error }),
    );
  },
} satisfies ExportedHandler<Env>;
