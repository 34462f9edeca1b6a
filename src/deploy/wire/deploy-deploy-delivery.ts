// What became of a call on a Deploy, on the wire.
import * as z from "zod";
import { exampleIds } from "../../resources/example-values.ts";
import { uuid } from "../../resources/wire-values.ts";
import type { DeployDelivery } from "../rules/send.ts";
import type { Started } from "../rules/start.ts";
import { deployStatusSchema } from "./deploy.ts";

const deployJobId = uuid.describe("The id of the Deploy.");

export const deployJobSchema = z
  .object({
    delivery: z.literal("job").describe("A Deploy was started, or goes on with the message."),
    status: deployStatusSchema,
    deployJobId,
  })
  .meta({
    id: "DeployJob",
    description: "A Deploy was started, or goes on with the message.",
    examples: [{ delivery: "job", status: "creating_sandbox", deployJobId: exampleIds.job }],
  });

const deploySteerSchema = z
  .object({
    delivery: z.literal("steer").describe("The sandbox is being built. The message joins the agent's next turn."),
    status: deployStatusSchema,
    deployJobId,
    instructionId: uuid.describe("The id of the message among the `instructions`."),
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
    delivery: z.literal("queued").describe("The agent works, and the message waits Up next."),
    queuedMessageId: uuid.describe("The id of the waiting message."),
  })
  .meta({
    id: "DeployQueued",
    description: "The agent works, and the message waits Up next.",
    examples: [{ delivery: "queued", queuedMessageId: exampleIds.queuedMessage }],
  });

export const deployDeliverySchema = z
  .discriminatedUnion("delivery", [deployJobSchema, deploySteerSchema, deployQueuedSchema])
  .meta({ id: "DeployDelivery", description: "What became of a call on a Deploy; `delivery` says which." });

export function deployDeliveryOnWire(delivery: DeployDelivery): z.infer<typeof deployDeliverySchema> {
  if (delivery.delivery === "queued") return delivery;
  const { deployId: deployJobId, ...rest } = delivery;
  return { ...rest, deployJobId };
}

export function startedOnWire({ status, deployId }: Started): z.infer<typeof deployJobSchema> {
  return { delivery: "job", status, deployJobId: deployId };
}
