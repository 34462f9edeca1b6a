// The routes of webhooks. Owners and admins manage them, and read the log of what was sent.
import * as z from "zod";
import { getWebhookObject } from "../../durable-objects/address.ts";
import { endpoint } from "../http/endpoint.ts";
import { accepted, created, noContent, ok, paged } from "../http/response.ts";
import { exampleIds, uuid } from "../lib/wire.ts";
import { isRefusal, refuse } from "../rules/refusal.ts";
import { listWebhookRows, type WebhookRow } from "./queries.ts";
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  sendTestTo,
  updateWebhook,
  updateWebhookSecret,
} from "./webhooks.ts";
import {
  createdWebhookSchema,
  deliveriesQuery,
  deliverySchema,
  listedDeliverySchema,
  newSecretSchema,
  newWebhookSchema,
  recoverSchema,
  rotationSchema,
  toWireDelivery,
  toWireListedDelivery,
  toWireWebhook,
  webhookChangesSchema,
  webhookSchema,
} from "./wire.ts";

const path = "/api/organizations/{workspaceId}/webhooks";
const one = "/api/organizations/{workspaceId}/webhooks/{webhookId}";
const ofWebhooks = { tag: "Webhooks", noun: "workspace", access: "webhook.manage" } as const;
type HealthEnv = Parameters<typeof getWebhookObject>[0];

const withHealth = async (env: HealthEnv, row: WebhookRow) =>
  toWireWebhook(row, await getWebhookObject(env, row.id).health());

const list = endpoint({
  ...ofWebhooks,
  path,
  method: "GET",
  operation: "listWebhooks",
  summary: "List a workspace's webhooks, without their secrets.",
  response: { status: 200, data: z.array(webhookSchema) },
  async handle({ env, found }) {
    const rows = await listWebhookRows(env.DB, found.workspace.id);
    return ok(await Promise.all(rows.map((row) => withHealth(env, row))));
  },
});

const create = endpoint({
  ...ofWebhooks,
  path,
  method: "POST",
  operation: "createWebhook",
  summary: "Create a webhook. Only this response has its secret.",
  isRepeatable: true,
  body: { schema: newWebhookSchema },
  response: { status: 201, data: createdWebhookSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, found, caller, body, idempotency: repeat }) {
    const createdBy = caller.user?.id ?? null;
    const wanted = { workspaceId: found.workspace.id, createdBy, repeat, ...body };
    const made = await createWebhook(env, wanted, now);
    if (isRefusal(made)) return made;
    return created({ webhook: await withHealth(env, made.row), secret: made.secret });
  },
});

const read = endpoint({
  ...ofWebhooks,
  path: one,
  method: "GET",
  operation: "readWebhook",
  summary: "Read a webhook, without its secret.",
  response: { status: 200, data: webhookSchema },
  async handle({ env, found, params }) {
    const row = await findWebhook(env, { workspaceId: found.workspace.id, webhookId: params.webhookId });
    return isRefusal(row) ? row : ok(await withHealth(env, row));
  },
});

const change = endpoint({
  ...ofWebhooks,
  path: one,
  method: "PATCH",
  operation: "changeWebhook",
  summary: "Change a webhook. Omitted fields stay as they are.",
  body: { schema: webhookChangesSchema },
  response: { status: 200, data: webhookSchema },
  async handle({ env, now, found, params, body }) {
    const row = await findWebhook(env, { workspaceId: found.workspace.id, webhookId: params.webhookId });
    if (isRefusal(row)) return row;
    const changed = await updateWebhook(env, row, body, now);
    return isRefusal(changed) ? changed : ok(await withHealth(env, changed));
  },
});

const remove = endpoint({
  ...ofWebhooks,
  path: one,
  method: "DELETE",
  operation: "deleteWebhook",
  summary: "Delete a webhook with its log. Waiting deliveries are not sent.",
  response: { status: 204 },
  async handle({ env, found, params }) {
    const row = await findWebhook(env, { workspaceId: found.workspace.id, webhookId: params.webhookId });
    if (isRefusal(row)) return row;
    await deleteWebhook(env, row.id);
    return noContent;
  },
});

const rotate = endpoint({
  ...ofWebhooks,
  path: `${one}/rotate-secret`,
  method: "POST",
  operation: "rotateWebhookSecret",
  summary: "Give a webhook a new secret. Deliveries are signed with both until the old one ends.",
  body: { schema: rotationSchema },
  response: { status: 200, data: newSecretSchema },
  async handle({ env, now, found, params, body }) {
    const row = await findWebhook(env, { workspaceId: found.workspace.id, webhookId: params.webhookId });
    if (isRefusal(row)) return row;
    const rotated = await updateWebhookSecret(env, row, body.keepHours, now);
    if (isRefusal(rotated)) return rotated;
    const { secret, previousUntil } = rotated;
    return ok({ secret, previousUntil: previousUntil === null ? null : new Date(previousUntil).toISOString() });
  },
});

const test = endpoint({
  ...ofWebhooks,
  path: `${one}/test`,
  method: "POST",
  operation: "testWebhook",
  summary: "Send a `webhook.test` and wait for the response. It is sent once, without retries.",
  response: { status: 200, data: z.object({ delivery: deliverySchema }) },
  async handle({ env, now, found, params, caller }) {
    const row = await findWebhook(env, { workspaceId: found.workspace.id, webhookId: params.webhookId });
    if (isRefusal(row)) return row;
    const delivery = await sendTestTo(env, row, caller.user?.id ?? null, now);
    return isRefusal(delivery) ? delivery : ok({ delivery: toWireDelivery(delivery) });
  },
});

const recover = endpoint({
  ...ofWebhooks,
  path: `${one}/recover`,
  method: "POST",
  operation: "recoverWebhookDeliveries",
  summary: "Send failed and dropped deliveries again, 1,000 at most.",
  body: { schema: recoverSchema },
  response: {
    status: 202,
    data: z.object({ count: z.int().describe("The number of deliveries that are sent again.") }),
  },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, found, params, body }) {
    const row = await findWebhook(env, { workspaceId: found.workspace.id, webhookId: params.webhookId });
    if (isRefusal(row)) return row;
    if (row.status === "disabled") return isDisabled;
    const range = { since: Date.parse(body.since), until: body.until === undefined ? now : Date.parse(body.until) };
    return accepted({ count: await getWebhookObject(env, row.id).recover(range) });
  },
});

const isDisabled = refuse("BAD_REQUEST", "The webhook is disabled. Enable it, then send again.");
const noDelivery = refuse("NOT_FOUND", "The log of the webhook has no such delivery.");

const listDeliveries = endpoint({
  ...ofWebhooks,
  path: `${one}/deliveries`,
  method: "GET",
  operation: "listWebhookDeliveries",
  summary: "List the deliveries of a webhook, newest first. The log has 30 days.",
  query: deliveriesQuery,
  response: { status: 200, data: z.array(listedDeliverySchema), isPaged: true },
  async handle({ env, found, params, query }) {
    const row = await findWebhook(env, { workspaceId: found.workspace.id, webhookId: params.webhookId });
    if (isRefusal(row)) return row;
    const { deliveries, total } = await getWebhookObject(env, row.id).list(query);
    return paged(deliveries.map(toWireListedDelivery), { ...query, total });
  },
});

const readDelivery = endpoint({
  ...ofWebhooks,
  path: `${one}/deliveries/{deliveryId}`,
  method: "GET",
  operation: "readWebhookDelivery",
  summary: "Read a delivery with its body and its attempts.",
  response: { status: 200, data: deliverySchema },
  async handle({ env, found, params }) {
    const row = await findWebhook(env, { workspaceId: found.workspace.id, webhookId: params.webhookId });
    if (isRefusal(row)) return row;
    const delivery = await getWebhookObject(env, row.id).read(params.deliveryId);
    return delivery ? ok(toWireDelivery(delivery)) : noDelivery;
  },
});

const resend = endpoint({
  ...ofWebhooks,
  path: `${one}/deliveries/{deliveryId}/resend`,
  method: "POST",
  operation: "resendWebhookDelivery",
  summary: "Send a delivery again, with the same id and a new signature.",
  response: {
    status: 202,
    data: z.object({ deliveryId: uuid.describe("The delivery's id.").meta({ examples: [exampleIds.event] }) }),
  },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found, params: { webhookId, deliveryId } }) {
    const row = await findWebhook(env, { workspaceId: found.workspace.id, webhookId });
    if (isRefusal(row)) return row;
    if (row.status === "disabled") return isDisabled;
    return (await getWebhookObject(env, row.id).resend(deliveryId)) ? accepted({ deliveryId }) : noDelivery;
  },
});

export const webhookRoutes = [
  ...[list, create, read, change, remove, rotate, test, recover],
  ...[listDeliveries, readDelivery, resend],
];
