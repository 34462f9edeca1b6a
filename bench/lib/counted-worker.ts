// The Worker with bindings and objects that count. Each response has a header with the calls of its
// request. `/counts` returns all calls so far, including those of objects and sandbox requests;
// `/counts/busy-objects` returns the number of objects with running work. `/distances` sets how far
// the database and the objects are.
import { CodeHostTokenObject as ProductCodeHostTokenObject } from "../../durable-objects/code-host/token.ts";
import { WebhookInboxObject as ProductWebhookInboxObject } from "../../durable-objects/code-host/webhook-inbox.ts";
import { CronObject as ProductCronObject } from "../../durable-objects/cron/cron.ts";
import { CronRunObject as ProductCronRunObject } from "../../durable-objects/cron-run/cron-run.ts";
import { DeletionObject as ProductDeletionObject } from "../../durable-objects/deletion/deletion.ts";
import { ApnsTokenObject as ProductApnsTokenObject } from "../../durable-objects/notification/apns-token.ts";
import { NotificationObject as ProductNotificationObject } from "../../durable-objects/notification/notification.ts";
import { ProjectObject as ProductProjectObject } from "../../durable-objects/project/project.ts";
import { ProviderLoginObject as ProductProviderLoginObject } from "../../durable-objects/provider-login/provider-login.ts";
import { SandboxObject as ProductSandboxObject } from "../../durable-objects/sandbox/sandbox.ts";
import { SessionObject as ProductSessionObject } from "../../durable-objects/session/session.ts";
import { SweepObject as ProductSweepObject } from "../../durable-objects/sweep/sweep.ts";
import { WorkspaceEventsObject as ProductWorkspaceEventsObject } from "../../durable-objects/workspace-events/workspace-events.ts";
import type { Env } from "../../src/env.ts";
import worker from "../../src/worker.ts";
import { countBusyObjects } from "./busy-objects.ts";
import { withCounts } from "./counting-bindings.ts";
import { toCountedObject } from "./counting-objects.ts";
import { type Counts, createCounts } from "./counts.ts";
import { updateDistances } from "./distances.ts";

// Objects that are not counted below are exported unchanged.
export * from "../../src/worker.ts";

/** On one machine, objects run in the Worker's isolate, so one sum includes everything. */
const total: Counts = createCounts();
/** Only of the objects of crons and runs. */
const crons: Counts = createCounts();

export const SessionObject = toCountedObject(ProductSessionObject, [total]);
export const ProjectObject = toCountedObject(ProductProjectObject, [total]);
export const CronObject = toCountedObject(ProductCronObject, [total, crons]);
export const CronRunObject = toCountedObject(ProductCronRunObject, [total, crons]);
export const SandboxObject = toCountedObject(ProductSandboxObject, [total]);
export const ProviderLoginObject = toCountedObject(ProductProviderLoginObject, [total]);
export const CodeHostTokenObject = toCountedObject(ProductCodeHostTokenObject, [total]);
export const WebhookInboxObject = toCountedObject(ProductWebhookInboxObject, [total]);
export const NotificationObject = toCountedObject(ProductNotificationObject, [total]);
export const ApnsTokenObject = toCountedObject(ProductApnsTokenObject, [total]);
export const DeletionObject = toCountedObject(ProductDeletionObject, [total]);
export const SweepObject = toCountedObject(ProductSweepObject, [total]);
export const WorkspaceEventsObject = toCountedObject(ProductWorkspaceEventsObject, [total]);

export default {
  ...worker,
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/counts") return Response.json(searchParams.get("of") === "crons" ? crons : total);
    if (pathname === "/counts/busy-objects") return Response.json(countBusyObjects());
    if (pathname === "/distances") {
      updateDistances(searchParams);
      return new Response(null, { status: 204 });
    }
    const counts = createCounts();
    total.workerRequests += 1;
    const answer = await worker.fetch(request, withCounts(env, [counts, total]), context);
    // The headers of a WebSocket upgrade cannot be changed.
    if (answer.webSocket) return answer;
    const headers = new Headers(answer.headers);
    headers.set("x-counts", JSON.stringify(counts));
    return new Response(answer.body, { status: answer.status, headers });
  },
} satisfies ExportedHandler<Env>;
