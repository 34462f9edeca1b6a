// A Deploy on the wire.
import * as z from "zod";
import { authorSchema, toWireAuthor } from "../../chat/wire/author.ts";
import { attachmentSchema, toWireAttachment } from "../../chat/wire/message.ts";
import {
  exampleAuthor,
  exampleIds,
  exampleTimes,
  formatTime,
  formatTimeOrNull,
  timestamp,
  uuid,
} from "../../lib/wire.ts";
import { type Deploy, deployTriggers, type Instruction } from "../rules/project-state.ts";
import type { DeployDelivery } from "../rules/send.ts";
import type { Started } from "../rules/start.ts";
import { deployStatuses } from "../rules/status.ts";

const deployStatusSchema = z.enum(deployStatuses).meta({
  id: "DeployStatus",
  description: "The state of a Deploy.",
});

export const deploySchema = z
  .object({
    id: uuid.describe("The Deploy's id, its `deployJobId`."),
    trigger: z.enum(deployTriggers).describe("`user`: a member started it. `system`: the service did, to recover."),
    status: deployStatusSchema,
    error: z.string().nullable().describe("Why it failed."),
    createdAt: timestamp.describe("When it was started."),
    startedAt: timestamp.nullable().describe("When its newest run began."),
    completedAt: timestamp.nullable().describe("When its newest run ended."),
  })
  .meta({
    id: "Deploy",
    description: "A Deploy of a project's main sandbox, with its newest run.",
    examples: [
      {
        id: exampleIds.job,
        trigger: "user",
        status: "deployed",
        error: null,
        createdAt: exampleTimes.started,
        startedAt: exampleTimes.started,
        completedAt: exampleTimes.later,
      },
    ],
  });

type Shown = Pick<Deploy, "id" | "trigger" | "status" | "error" | "createdAt" | "startedAt" | "completedAt">;

export function toWireDeploy({ id, trigger, status, error, ...times }: Shown): z.infer<typeof deploySchema> {
  const { createdAt, startedAt, completedAt } = times;
  return {
    ...{ id, trigger, status, error },
    createdAt: formatTime(createdAt),
    startedAt: formatTime(startedAt),
    completedAt: formatTimeOrNull(completedAt),
  };
}

const deployJobId = uuid.describe("The id of the Deploy.");

/** The outcome of a call on a Deploy, on the wire. */
export const deployJobSchema = z
  .object({
    delivery: z.literal("job").describe("A Deploy was started, or continues with the message."),
    status: deployStatusSchema,
    deployJobId,
  })
  .meta({
    id: "DeployJob",
    description: "A Deploy was started, or continues with the message.",
    examples: [{ delivery: "job", status: "creating_sandbox", deployJobId: exampleIds.job }],
  });

const deploySteerSchema = z
  .object({
    delivery: z.literal("steer").describe("The sandbox is being built. The message joins the agent's next turn."),
    status: deployStatusSchema,
    deployJobId,
    instructionId: uuid.describe("The id of the message in `instructions`."),
  })
  .meta({
    id: "DeploySteer",
    description: "The message waits for the agent's next turn.",
    examples: [
      {
        delivery: "steer",
        status: "creating_sandbox",
        deployJobId: exampleIds.job,
        instructionId: exampleIds.queuedMessage,
      },
    ],
  });

const deployQueuedSchema = z
  .object({
    delivery: z.literal("queued").describe("The message waits Up next."),
    queuedMessageId: uuid.describe("The id of the waiting message."),
  })
  .meta({
    id: "DeployQueued",
    description: "The message waits Up next.",
    examples: [{ delivery: "queued", queuedMessageId: exampleIds.queuedMessage }],
  });

export const deployDeliverySchema = z
  .discriminatedUnion("delivery", [deployJobSchema, deploySteerSchema, deployQueuedSchema])
  .meta({ id: "DeployDelivery", description: "The delivery of a message to a Deploy." });

export function toWireDeployDelivery(delivery: DeployDelivery): z.infer<typeof deployDeliverySchema> {
  if (delivery.delivery === "queued") return delivery;
  const { deployId: deployJobId, ...rest } = delivery;
  return { ...rest, deployJobId };
}

export function toWireDeployJob({ status, deployId }: Started): z.infer<typeof deployJobSchema> {
  return { delivery: "job", status, deployJobId: deployId };
}

/**
 * An instruction on the wire: a message that waits for the deploy agent's next turn while the
 * sandbox is being built.
 */
export const instructionSchema = z
  .object({
    id: uuid.describe("The message's id."),
    content: z.string().describe("Its text."),
    attachments: z.array(attachmentSchema).describe("The files that came with it."),
    author: authorSchema.describe("Who sent it."),
    createdAt: timestamp.describe("When it was sent."),
  })
  .meta({
    id: "Instruction",
    description: "A message that waits for the deploy agent's next turn.",
    examples: [
      {
        id: exampleIds.queuedMessage,
        content: "Start the worker too.",
        attachments: [],
        author: exampleAuthor,
        createdAt: exampleTimes.later,
      },
    ],
  });

export function toWireInstruction(
  projectId: string,
  { id, content, attachments, author, createdAt }: Instruction,
): z.infer<typeof instructionSchema> {
  return {
    id,
    content,
    attachments: attachments.map((attachment) => toWireAttachment({ projectId }, attachment)),
    author: toWireAuthor(author),
    createdAt: formatTime(createdAt),
  };
}
