// Previews, their health and their public links on the wire.
import * as z from "zod";
import type { SharedPreview } from "../actions/preview/view-shared.ts";
import { sharedPreviewStatuses, unavailableReasons } from "../rules/preview/preview.ts";
import type { ShareLink } from "../storage/queries/share-links.ts";
import { artifactRowOnWire, artifactRowSchema } from "./artifact.ts";
import { time, timeOrNull, timestamp, uuid } from "./wire-values.ts";

export const previewSchema = z
  .object({
    frontendUrls: z.record(z.string(), z.string()),
    projectId: uuid,
    sandboxKey: z.string(),
    awayHoldMs: z.int(),
    provisioning: z.literal(true).optional(),
    creditLimitReached: z.literal(true).optional(),
    sandboxLimitReached: z.literal(true).optional(),
  })
  .meta({ description: "Where the running project can be seen." });

export const healthSchema = z
  .object({
    state: z.enum(["healthy", "starting"]),
    frontendUrls: z.record(z.string(), z.string()),
    services: z.array(z.object({ name: z.string(), httpResult: z.enum(["healthy", "not_healthy"]).nullable() })),
    sandboxAvailable: z.boolean(),
    sandboxId: z.string().optional(),
    canRetainPreview: z.boolean().optional(),
    paused: z.boolean(),
    needsStart: z.boolean(),
    creditLimitReached: z.literal(true).optional(),
    sandboxLimitReached: z.literal(true).optional(),
    indeterminate: z.boolean(),
  })
  .meta({ description: "How the sandbox and its services are." });

export const queuedResetSchema = z
  .object({ status: z.literal("queued"), projectId: uuid, sandboxKey: z.string() })
  .meta({ description: "The services are restarted; health tells when they are there again." });

export const shareSchema = z
  .object({ slug: z.string(), url: z.string(), createdAt: timestamp, lastViewedAt: timestamp.nullable() })
  .meta({ description: "A public link to a preview." });

export const sharedPreviewSchema = z
  .object({
    projectName: z.string(),
    sessionTitle: z.string().nullable(),
    status: z.enum(sharedPreviewStatuses),
    reason: z.enum(unavailableReasons).optional(),
    frontends: z.array(z.object({ name: z.string(), url: z.string(), isServing: z.boolean() })),
    artifacts: z.array(artifactRowSchema),
  })
  .meta({ description: "What a public link shows." });

export function shareOnWire(link: ShareLink, publicUrl: string): z.infer<typeof shareSchema> {
  const { slug, createdAt, lastViewedAt } = link;
  return {
    slug,
    url: `${publicUrl}/shared/${slug}`,
    createdAt: time(createdAt),
    lastViewedAt: timeOrNull(lastViewedAt),
  };
}

export function sharedPreviewOnWire(view: SharedPreview): z.infer<typeof sharedPreviewSchema> {
  return { ...view, artifacts: view.artifacts.map(artifactRowOnWire) };
}
