// A turn on the wire, where it is called a job.
import * as z from "zod";
import { exampleIds, exampleTimes, formatTime, formatTimeOrNull, timestamp, uuid } from "../../lib/wire.ts";
import { type CallFailureCode, callFailures } from "../../model-gateway/rules/failure.ts";
import { toUsd, type Usage } from "../../usage/rules/usage.ts";
import { type BootStep, bootStepNames } from "../rules/boot.ts";
import type { TurnView } from "../rules/live-event.ts";
import { turnStatuses } from "../rules/turn.ts";

export const jobStatusSchema = z.enum(turnStatuses).meta({
  id: "JobStatus",
  description: "`completed`, `failed` and `cancelled` are final. The next message answers `awaiting_response`.",
});

/** An older turn may have a code that is not listed, and a newer service may add one. */
export const jobErrorCodeSchema = z
  .union([
    z.enum([
      "context_window_exceeded",
      "no_credentials",
      "provider_overloaded",
      "provider_rate_limited",
      "result_missing",
      ...(Object.keys(callFailures) as CallFailureCode[]),
    ]),
    z.string(),
  ])
  .meta({
    id: "JobErrorCode",
    description: "Why a turn failed, for programs. A client treats a code that it does not know as none.",
    examples: ["context_window_exceeded"],
  });

const exampleUsage = {
  inputTokens: 18_250,
  cachedTokens: 42_000,
  outputTokens: 1_310,
  costUsd: 0.1076,
  payer: "workspace",
};

const jobUsageSchema = z
  .object({
    inputTokens: z.int().describe("Input that was not read from the provider's cache."),
    cachedTokens: z.int().describe("Input that was read from the provider's cache."),
    outputTokens: z.int().describe("Output, reasoning included."),
    costUsd: z.number().nullable().describe("In US dollars, by catalog prices; null on a member's subscription."),
    payer: z.enum(["subscription", "workspace"]).describe("Who paid: a member's subscription, or the workspace."),
  })
  .meta({ id: "JobUsage", description: "What the model calls of a turn have used.", examples: [exampleUsage] });

const bootSchema = z
  .object({
    steps: z
      .array(
        z.object({
          name: z.enum(bootStepNames).describe("What is done. New names may come."),
          status: z.enum(["running", "completed", "failed"]).describe("A failed step can be repeated."),
          detail: z.string().nullable().describe("What the step found, such as `restored` files; null for nothing."),
          startedAt: timestamp.describe("When it began."),
          completedAt: timestamp.nullable().describe("When it ended; null until then."),
        }),
      )
      .describe("The steps that have started, in their order."),
    logEnd: z.string().nullable().describe("The last 2 KiB of the setup command; null without one."),
  })
  .meta({
    id: "JobBoot",
    description: "The progress of the sandbox of a pending job.",
    examples: [
      {
        steps: [
          {
            name: "machine",
            status: "running",
            detail: null,
            startedAt: exampleTimes.started,
            completedAt: null,
          },
        ],
        logEnd: null,
      },
    ],
  });

export const jobSchema = z
  .object({
    id: uuid.describe("The id of the job and its event stream."),
    status: jobStatusSchema.describe("The state of the turn."),
    jobNumber: z.int().describe("The number of the job within its session, from 1."),
    error: z.string().nullable().describe("Why the turn failed, for people; null for one that did not."),
    errorCode: jobErrorCodeSchema.nullable().describe("Why it failed, such as `context_window_exceeded`."),
    usage: jobUsageSchema.nullable().describe("What its model calls have used so far."),
    result: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description: "The result of `resultSchema`; null in a list.",
        anyOf: undefined,
        type: ["object", "null"],
      }),
    boot: bootSchema.nullable().describe("The start of its sandbox; null once the job is not pending."),
    createdAt: timestamp.describe("When the message was taken."),
    startedAt: timestamp.nullable().describe("When the agent began."),
    completedAt: timestamp.nullable().describe("When the turn ended; null until then."),
    lastSignAt: timestamp
      .optional()
      .describe(
        "When a running job last gave a sign of life; only when one job is read. It fails after 120 seconds without.",
      ),
  })
  .meta({
    id: "Job",
    description: "One turn of the agent.",
    examples: [
      {
        id: exampleIds.job,
        status: "running",
        jobNumber: 1,
        error: null,
        errorCode: null,
        usage: exampleUsage,
        result: null,
        boot: null,
        createdAt: exampleTimes.started,
        startedAt: exampleTimes.running,
        completedAt: null,
      },
    ],
  });

export function toWireJob(turn: TurnView): z.infer<typeof jobSchema> {
  const { id, status, number, error, errorCode, usage, result = null, boot, lastSignAt = null } = turn;
  return {
    id,
    status,
    jobNumber: number,
    error,
    errorCode,
    usage: toWireUsage(usage),
    result: typeof result === "string" ? JSON.parse(result) : null,
    boot: boot && status === "pending" ? { steps: boot.steps.map(toWireStep), logEnd: boot.logEnd } : null,
    createdAt: formatTime(turn.createdAt),
    startedAt: formatTimeOrNull(turn.startedAt),
    completedAt: formatTimeOrNull(turn.completedAt),
    ...(status === "running" && lastSignAt !== null && { lastSignAt: formatTime(lastSignAt) }),
  };
}

const toWireStep = ({ startedAt, completedAt, ...step }: BootStep) => ({
  ...step,
  startedAt: formatTime(startedAt),
  completedAt: formatTimeOrNull(completedAt),
});

/** Events stored before turns were counted have no usage. */
function toWireUsage(usage: Usage | null | undefined): z.infer<typeof jobUsageSchema> | null {
  if (!usage) return null;
  const { inputTokens, cachedTokens, outputTokens, nanoUsd, payer } = usage;
  const costUsd = nanoUsd === null ? null : toUsd(nanoUsd);
  return { inputTokens, cachedTokens, outputTokens, costUsd, payer: payer === "member" ? "subscription" : payer };
}
