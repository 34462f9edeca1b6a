// Webhooks on the wire.
import * as z from "zod";
import type { Delivery, ListedDelivery, WebhookHealth } from "../../durable-objects/webhook/rpc.ts";
import { pageQuery } from "../lib/pagination.ts";
import { exampleIds, exampleTimes, formatTime, formatTimeOrNull, timestamp, uuid } from "../lib/wire.ts";
import { webhookKeepHoursMax, webhookNameCharacters, webhookPatternsMax, webhookProjectsMax } from "../rules/limits.ts";
import type { WebhookRow } from "./queries.ts";
import { isEventPattern, webhookEventTypes } from "./rules/event-types.ts";
import { deliveryStatuses, disabledReasons, webhookStatuses } from "./rules/status.ts";

const fields = {
  url: z.string().min(1).describe("A public https address, port 443 or 8443."),
  events: z
    .array(
      z.string().refine(isEventPattern, {
        error: `is no event: ${webhookEventTypes.slice(0, 4).join(", ")} and more, a group such as job.*, or *`,
      }),
    )
    .min(1)
    .max(webhookPatternsMax)
    .describe("Types, groups such as `job.*`, or `*` for all."),
  projects: z
    .array(uuid)
    .min(1)
    .max(webhookProjectsMax)
    .nullable()
    .describe("Only events of these projects; null for all."),
  includeText: z
    .boolean()
    .describe("True adds `data.text`: titles, questions, answers and errors, each up to 4,000 characters."),
  name: z.string().max(webhookNameCharacters).describe("A name for people."),
};

const example = { url: "https://hooks.example.com/switchyard", events: ["job.*"] };

export const newWebhookSchema = z
  .strictObject({
    ...fields,
    projects: fields.projects.default(null),
    includeText: fields.includeText.default(false),
    name: fields.name.default(""),
  })
  .meta({ examples: [example] });

export const webhookChangesSchema = z
  .strictObject({
    ...fields,
    enabled: z.boolean().describe("True enables it again. False disables it, and what waits is dropped."),
  })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, { error: "needs at least one field" })
  .meta({ examples: [{ enabled: true }] });

export const rotationSchema = z
  .strictObject({
    keepHours: z
      .int()
      .min(0)
      .max(webhookKeepHoursMax)
      .default(24)
      .describe("The hours in which the old secret also signs."),
  })
  .meta({ examples: [{ keepHours: 24 }] })
  .prefault({});

export const recoverSchema = z
  .strictObject({
    since: timestamp.describe("Deliveries from this time on."),
    until: timestamp.optional().describe("Deliveries up to this time; now by default."),
  })
  .meta({ examples: [{ since: exampleTimes.started }] });

const exampleWebhook = {
  id: exampleIds.webhook,
  name: "",
  ...example,
  projects: null,
  includeText: false,
  status: "active",
  disabledReason: null,
  lastDeliveredAt: exampleTimes.started,
  lastFailedAt: null,
  waiting: 0,
  createdBy: exampleIds.user,
  createdAt: exampleTimes.started,
  updatedAt: exampleTimes.started,
};

const shown = z.object({
  id: uuid.describe("The webhook's id."),
  name: fields.name,
  url: z.string().describe("Where events are sent."),
  events: z.array(z.string()).describe("The patterns of its events."),
  projects: z.array(uuid).nullable().describe("Only events of these projects; null for all."),
  includeText: fields.includeText,
  status: z.enum(webhookStatuses).describe("`failing`: the last attempt failed. `disabled`: nothing is sent."),
  disabledReason: z
    .enum(disabledReasons)
    .nullable()
    .describe(
      "`by_hand`: with `enabled`. `gone`: it responded with 410. `failing`: ten attempts failed, with no success since the first. `too_many_waiting`: 10,000 deliveries waited.",
    ),
  lastDeliveredAt: timestamp.nullable().describe("The last success; null before the first."),
  lastFailedAt: timestamp.nullable().describe("The last failed attempt; null without one."),
  waiting: z.int().describe("The number of waiting deliveries."),
  createdBy: z.string().nullable().describe("The id of the user who created it."),
  createdAt: timestamp.describe("When it was created."),
  updatedAt: timestamp.describe("When it last changed."),
});

export const webhookSchema = shown.meta({
  id: "Webhook",
  description: "An address that gets a workspace's events.",
  examples: [exampleWebhook],
});

export const newSecretSchema = z
  .object({
    secret: z.string().describe("The new secret, which only this response has: `whsec_` and base64."),
    previousUntil: timestamp.nullable().describe("The time until which the old secret also signs."),
  })
  .meta({
    id: "WebhookSecret",
    description: "A secret that signs deliveries.",
    examples: [{ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", previousUntil: null }],
  });

export const createdWebhookSchema = z
  .object({
    webhook: webhookSchema.describe("The new webhook."),
    secret: z.string().describe("The secret that signs, which only this response has: `whsec_` and base64."),
  })
  .meta({
    id: "NewWebhook",
    description: "A new webhook with its secret.",
    examples: [{ webhook: exampleWebhook, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }],
  });

const exampleDelivery = {
  id: exampleIds.event,
  type: "job.completed",
  status: "succeeded",
  createdAt: exampleTimes.started,
  attempts: 1,
  answerStatus: 200,
  nextAttemptAt: null,
};

const listed = z.object({
  id: uuid.describe("The event's id, and the header `webhook-id`."),
  type: z.string().describe("The type of the event."),
  status: z.enum(deliveryStatuses).describe("`dropped`: the webhook was disabled."),
  createdAt: timestamp.describe("When the event came."),
  attempts: z.int().describe("The number of attempts."),
  answerStatus: z.int().nullable().describe("The status of the last response; null without one."),
  nextAttemptAt: timestamp.nullable().describe("When it is tried next."),
});

export const listedDeliverySchema = listed.meta({
  id: "WebhookDeliveryRow",
  description: "An event that was sent to a webhook, or waits.",
  examples: [exampleDelivery],
});

export const deliverySchema = listed
  .extend({
    body: z.string().describe("The bytes that every attempt sends."),
    tried: z
      .array(
        z.object({
          at: timestamp.describe("When it began."),
          milliseconds: z.int().describe("How long it took, in milliseconds."),
          status: z.int().nullable().describe("The status of the response; null without one."),
          error: z.string().nullable().describe("Why it failed."),
          answer: z.string().nullable().describe("The first KiB of the response."),
        }),
      )
      .describe("Every attempt, in order."),
  })
  .meta({
    id: "WebhookDelivery",
    description: "A delivery with its body and its attempts.",
    examples: [
      {
        ...exampleDelivery,
        body: '{"type":"job.completed"}',
        tried: [{ at: exampleTimes.started, milliseconds: 84, status: 200, error: null, answer: "ok" }],
      },
    ],
  });

export const deliveriesQuery = pageQuery.extend({
  status: z.enum(deliveryStatuses).optional().describe("Only deliveries of this status."),
  type: z.string().optional().describe("Only deliveries of this type."),
});

/** What a webhook gets. It is described in the OpenAPI document, and nothing else reads it. */
export const webhookEventSchema = z
  .object({
    type: z.enum(webhookEventTypes).describe("What happened. There may be new types at any time."),
    timestamp: timestamp.describe("When it happened."),
    data: z
      .object({
        workspaceId: z.string().describe("The workspace's id."),
        projectId: uuid.optional().describe("Set for an event of a project."),
        by: z
          .object({
            userId: z.string().describe("The user's id."),
            source: z.unknown().describe("The agent that acted for them."),
          })
          .nullable()
          .describe("Who did it; null for what the service observed."),
        text: z
          .record(z.string(), z.string())
          .optional()
          .describe("What was written, for a webhook with `includeText`."),
      })
      .loose()
      .describe("Ids, links and statuses. `sequence` increases with each event of a session."),
  })
  .meta({
    id: "WebhookEvent",
    description: "The body of a delivery. Headers sign it by Standard Webhooks 1.0.",
    examples: [
      {
        type: "job.completed",
        timestamp: exampleTimes.started,
        data: {
          ...{ workspaceId: exampleIds.workspace, projectId: exampleIds.project, sessionId: exampleIds.session },
          ...{ jobId: exampleIds.job, jobNumber: 3, status: "completed", sequence: 41, by: null },
        },
      },
    ],
  });

/** Converts a webhook. */
export function toWireWebhook(row: WebhookRow, health: WebhookHealth): z.infer<typeof webhookSchema> {
  const { id, name, url, events, projects, includeText, status, disabledReason, createdBy, createdAt, updatedAt } = row;
  return {
    ...{ id, name, url, events, projects, includeText, status, disabledReason },
    lastDeliveredAt: formatTimeOrNull(health.lastDeliveredAt),
    lastFailedAt: formatTimeOrNull(health.lastFailedAt),
    waiting: health.waiting,
    ...{ createdBy, createdAt: formatTime(createdAt), updatedAt: formatTime(updatedAt) },
  };
}

/** Converts a delivery of a list. */
export function toWireListedDelivery(delivery: ListedDelivery): z.infer<typeof listedDeliverySchema> {
  const { id, type, status, createdAt, attempts, answerStatus, nextAttemptAt } = delivery;
  const times = { createdAt: formatTime(createdAt), nextAttemptAt: formatTimeOrNull(nextAttemptAt) };
  return { id, type, status, attempts, answerStatus, ...times };
}

/** Converts a delivery with its attempts. */
export function toWireDelivery(delivery: Delivery): z.infer<typeof deliverySchema> {
  const tried = delivery.tried.map((attempt) => ({ ...attempt, at: formatTime(attempt.at) }));
  return { ...toWireListedDelivery(delivery), body: delivery.body, tried };
}
