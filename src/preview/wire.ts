// Previews, their health and their public links on the wire.
import * as z from "zod";
import type { ArtifactRow } from "../artifact/queries.ts";
import { artifactRowSchema, toWireArtifactRow } from "../artifact/wire/artifact.ts";
import {
  exampleIds,
  exampleSandboxKey,
  exampleTimes,
  formatTime,
  formatTimeOrNull,
  timestamp,
  uuid,
} from "../lib/wire.ts";
import type { ShareLink } from "./queries/share-links.ts";
import { healthStates } from "./rules/preview.ts";
import { type ServiceReport, serviceStates } from "./rules/service-state.ts";
import {
  type SharedPreviewStatus,
  sharedPreviewStatuses,
  type UnavailableReason,
  unavailableReasons,
} from "./rules/share-link.ts";

/** What a public link shows. */
export interface SharedPreview {
  projectName: string;
  sessionTitle: string | null;
  status: SharedPreviewStatus;
  reason?: UnavailableReason;
  frontends: { name: string; url: string; isServing: boolean }[];
  artifacts: ArtifactRow[];
}

const serviceHttpResult = z
  .enum(["healthy", "not_healthy"])
  .nullable()
  .describe("Whether it responds; null if it was not checked.");

const serviceSchema = z
  .object({
    name: z.string().describe("The service's name."),
    state: z
      .enum(serviceStates)
      .describe(
        "`waiting`: for earlier services; `crashed`: it ends after each start; `done`: it succeeded and has no endpoint.",
      ),
    startedAt: timestamp.nullable().describe("When it began; null while it does not run."),
    lastExitCode: z.int().nullable().describe("The exit code of its last end; null after a signal."),
    lastExit: z.string().nullable().describe("Its last end in words, such as `exited 127`."),
    restarts: z.int().describe("The number of restarts."),
    httpResult: serviceHttpResult,
  })
  .meta({
    id: "Service",
    description: "The state of a service.",
    examples: [
      {
        name: "web",
        state: "crashed",
        startedAt: null,
        lastExitCode: 127,
        lastExit: "exited 127",
        restarts: 4,
        httpResult: "not_healthy",
      },
    ],
  });

/** The services of a preview and their logs on the wire. */
export const servicesSchema = z.object({ services: z.array(serviceSchema).describe("In the order of the settings.") });

export const serviceLogSchema = z
  .object({
    name: z.string().describe("The service's name."),
    log: z.string().describe("Its newest output, 256 KiB at most. Secrets of the environment read `[redacted]`."),
    offset: z.string().nullable().describe("The `after` of the next read; null before the start."),
    isCut: z.boolean().describe("True if output before `log` is missing. Then do not append `log`."),
  })
  .meta({
    id: "ServiceLog",
    description: "The output of a service.",
    examples: [
      {
        ...{ name: "web", offset: "9f2c1a7be04d.84", isCut: false },
        log: "[web starts on port 3000: nmp run dev]\n/bin/bash: line 1: nmp: command not found\n",
      },
    ],
  });

export function toWireService(
  { name, state, ageMs, lastExit, restarts, httpResult }: ServiceReport,
  now: number,
): z.infer<typeof serviceSchema> {
  return {
    name,
    state,
    startedAt: formatTimeOrNull(ageMs === null ? null : Math.max(0, Math.round(now - ageMs))),
    lastExitCode: lastExit?.code ?? null,
    lastExit: lastExit?.how ?? null,
    restarts,
    httpResult,
  };
}

const exampleUrl = `https://web--${exampleSandboxKey}.preview.example.com/`;
const exampleSlug = "q8Zt3vLw0bXc5mRk7nYp2dJf4hSg6aUe";

const frontendUrls = z.record(z.string(), z.string()).describe("Addresses by `<service>` or `<service>-<endpoint>`.");
const limitFlags = {
  creditLimitReached: z.literal(true).optional().describe("Set while billing blocks the workspace."),
  sandboxLimitReached: z
    .literal(true)
    .optional()
    .describe("Set while the limit of sandboxes keeps this one from a start."),
};
const sandboxKey = z.string().describe("Names the sandbox.");

export const previewSchema = z
  .object({
    frontendUrls,
    projectId: uuid.describe("The project's id."),
    sandboxKey,
    awayHoldMs: z.int().describe("How long a sandbox runs after its last work, in milliseconds."),
    provisioning: z
      .literal(true)
      .optional()
      .describe("Set while the sandbox wakes, is made or is reset. Poll health until it is healthy."),
    ...limitFlags,
  })
  .meta({
    id: "Preview",
    description: "The addresses of the running project. Read the flags before the addresses.",
    examples: [
      {
        frontendUrls: { web: exampleUrl },
        projectId: exampleIds.project,
        sandboxKey: exampleSandboxKey,
        awayHoldMs: 300_000,
      },
    ],
  });

const serviceHealthSchema = z
  .object({
    name: z.string().describe("`agent` is the sandbox's own service."),
    httpResult: serviceHttpResult,
    crash: z
      .object({
        how: z.string().describe("How it last ended, such as `exited 127`."),
        logEnd: z.string().describe("The last lines of its log."),
      })
      .optional()
      .describe("Set for a service that ends after each start."),
  })
  .meta({
    id: "ServiceHealth",
    description: "The state of a service.",
    examples: [{ name: "web", httpResult: "healthy" }],
  });

export const healthSchema = z
  .object({
    state: z
      .enum(healthStates)
      .describe(
        "`healthy` if every service responds, else `starting`. A service that crashed has a `crash` in `services`.",
      ),
    frontendUrls,
    services: z.array(serviceHealthSchema).describe("The services, `agent` first."),
    sandboxAvailable: z.boolean().describe("True when a running sandbox was reached."),
    sandboxId: z.string().optional().describe("The running sandbox, where one was reached."),
    canRetainPreview: z.boolean().optional().describe("With `sandboxId`: true when a visit does not wake it."),
    paused: z.boolean().describe("True when the sandbox is paused. Read the preview to wake it."),
    needsStart: z.boolean().describe("True when nothing runs or starts. Read the preview to start it."),
    ...limitFlags,
    indeterminate: z
      .boolean()
      .describe("True if the state could not be read. Ignore the other fields, and read it again in a few seconds."),
  })
  .meta({
    id: "Health",
    description: "The state of the sandbox and its services.",
    examples: [
      {
        state: "healthy",
        frontendUrls: { web: exampleUrl },
        services: [
          { name: "agent", httpResult: "healthy" },
          { name: "web", httpResult: "healthy" },
        ],
        sandboxAvailable: true,
        sandboxId: `${exampleSandboxKey}-1`,
        canRetainPreview: false,
        paused: false,
        needsStart: false,
        indeterminate: false,
      },
    ],
  });

export const queuedResetSchema = z
  .object({
    status: z.literal("queued"),
    projectId: uuid.describe("The project's id."),
    sandboxKey,
  })
  .meta({
    id: "QueuedReset",
    description: "The services restart.",
    examples: [{ status: "queued", projectId: exampleIds.project, sandboxKey: exampleSandboxKey }],
  });

export const shareSchema = z
  .object({
    slug: z.string().describe("The secret part of the link."),
    url: z.string().describe("The link itself."),
    createdAt: timestamp.describe("When it was made."),
    lastViewedAt: timestamp.nullable().describe("When it was last opened, to about five minutes; null before that."),
  })
  .meta({
    id: "ShareLink",
    description: "A public link to a preview.",
    examples: [
      {
        slug: exampleSlug,
        url: `https://switchyard.example.com/shared/${exampleSlug}`,
        createdAt: exampleTimes.started,
        lastViewedAt: null,
      },
    ],
  });

const sharedFrontendSchema = z
  .object({
    name: z.string().describe("The endpoint's key."),
    url: z.string().describe("Its address."),
    isServing: z.boolean().describe("True if it responds."),
  })
  .meta({
    id: "SharedFrontend",
    description: "An endpoint of a shared preview.",
    examples: [{ name: "web", url: exampleUrl, isServing: true }],
  });

export const sharedPreviewSchema = z
  .object({
    projectName: z.string().describe("The project's name."),
    sessionTitle: z.string().nullable().describe("The session's title; null for the main preview."),
    status: z.enum(sharedPreviewStatuses).describe("While it is `starting`, read it again."),
    reason: z.enum(unavailableReasons).optional().describe("Why the preview is unavailable, where it is."),
    frontends: z.array(sharedFrontendSchema).describe("The endpoints that serve the preview."),
    artifacts: z.array(artifactRowSchema).describe("The session's artifacts; none for the main preview."),
  })
  .meta({
    id: "SharedPreview",
    description: "What a public link shows.",
    examples: [
      {
        projectName: "departures",
        sessionTitle: "Sort departures by time",
        status: "ready",
        frontends: [{ name: "web", url: exampleUrl, isServing: true }],
        artifacts: [],
      },
    ],
  });

export function toWireShareLink(link: ShareLink, publicUrl: string): z.infer<typeof shareSchema> {
  const { slug, createdAt, lastViewedAt } = link;
  return {
    slug,
    url: `${publicUrl}/shared/${slug}`,
    createdAt: formatTime(createdAt),
    lastViewedAt: formatTimeOrNull(lastViewedAt),
  };
}

export function toWireSharedPreview(view: SharedPreview): z.infer<typeof sharedPreviewSchema> {
  return { ...view, artifacts: view.artifacts.map(toWireArtifactRow) };
}
