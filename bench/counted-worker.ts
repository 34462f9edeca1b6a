// The Worker with bindings and objects that count. Each response has a header with the calls of its
// request. `/counts` returns all calls so far, including those of objects and sandbox requests;
// `/counts/busy-objects` returns the number of objects with running work.
import { CodeHostTokenObject as ProductCodeHostTokenObject } from "../durable-objects/code-host/token.ts";
import { WebhookInboxObject as ProductWebhookInboxObject } from "../durable-objects/code-host/webhook-inbox.ts";
import { CronObject as ProductCronObject } from "../durable-objects/cron/cron.ts";
import { CronRunObject as ProductCronRunObject } from "../durable-objects/cron-run/cron-run.ts";
import { DeletionObject as ProductDeletionObject } from "../durable-objects/deletion/deletion.ts";
import { ApnsTokenObject as ProductApnsTokenObject } from "../durable-objects/notification/apns-token.ts";
import { NotificationObject as ProductNotificationObject } from "../durable-objects/notification/notification.ts";
import { ProjectObject as ProductProjectObject } from "../durable-objects/project/project.ts";
import { ProviderLoginObject as ProductProviderLoginObject } from "../durable-objects/provider-login/provider-login.ts";
import { SandboxObject as ProductSandboxObject } from "../durable-objects/sandbox/sandbox.ts";
import { SessionObject as ProductSessionObject } from "../durable-objects/session/session.ts";
import { SweepObject as ProductSweepObject } from "../durable-objects/sweep/sweep.ts";
import { WorkspaceEventsObject as ProductWorkspaceEventsObject } from "../durable-objects/workspace-events/workspace-events.ts";
import type { Env } from "../src/env.ts";
import worker from "../src/worker.ts";
import { busyObjects } from "./busy-objects.ts";
import { countingEnv } from "./counting-bindings.ts";
import { countedObject } from "./counting-objects.ts";
import { type Counts, noCounts } from "./counts.ts";

// Objects that are not counted below are exported unchanged.
export * from "../src/worker.ts";

/** On one machine, objects run in the Worker's isolate, so one sum includes everything. */
const total: Counts = noCounts();
/** Only of the objects of crons and runs. */
const crons: Counts = noCounts();

export const SessionObject = countedObject(ProductSessionObject, [total]);
export const ProjectObject = countedObject(ProductProjectObject, [total]);
export const CronObject = countedObject(ProductCronObject, [total, crons]);
export const CronRunObject = countedObject(ProductCronRunObject, [total, crons]);
export const SandboxObject = countedObject(ProductSandboxObject, [total]);
export const ProviderLoginObject = countedObject(ProductProviderLoginObject, [total]);
export const CodeHostTokenObject = countedObject(ProductCodeHostTokenObject, [total]);
export const WebhookInboxObject = countedObject(ProductWebhookInboxObject, [total]);
export const NotificationObject = countedObject(ProductNotificationObject, [total]);
export const ApnsTokenObject = countedObject(ProductApnsTokenObject, [total]);
export const DeletionObject = countedObject(ProductDeletionObject, [total]);
export const SweepObject = countedObject(ProductSweepObject, [total]);
export const WorkspaceEventsObject = countedObject(ProductWorkspaceEventsObject, [total]);

export default {
  ...worker,
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/counts") return Response.json(searchParams.get("of") === "crons" ? crons : total);
    if (pathname === "/counts/busy-objects") return Response.json(busyObjects());
    const counts = noCounts();
    total.workerRequests += 1;
    const answer = await worker.fetch(request, countingEnv(env, [counts, total]), context);
    // The headers of a WebSocket upgrade cannot be changed.
    if (answer.webSocket) return answer;
    const headers = new Headers(answer.headers);
    headers.set("x-counts", JSON.stringify(counts));
    return new Response(answer.body, { status: answer.status, headers });
  },
} satisfies ExportedHandler<Env>;
