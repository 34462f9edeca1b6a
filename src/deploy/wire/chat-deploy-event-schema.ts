// The schemas of the live events of the Deploy Chat: the data of each server-sent event, by event name.
import * as z from "zod";
import { blockSchema } from "../../resources/block.ts";
import { blockEvent, deltaEvent, jobEvent, queueEvent, turnEndEvent } from "../../resources/live-event-schema.ts";
import { timestamp, uuid } from "../../resources/wire-values.ts";
import { deploySchema } from "./deploy.ts";

const deployEvent = z
  .object({ deploy: deploySchema.nullable().describe("The newest Deploy; null before the first.") })
  .meta({ id: "DeployEvent", description: "The data of a `deploy` event: a Deploy began or changed." });

const systemEvent = z
  .object({
    deployJobId: uuid.describe("The Deploy that it is about."),
    messageId: uuid.describe("The id of the message."),
    role: z.literal("system").describe("The service says it."),
    index: z.literal(0).describe("It has one block."),
    block: blockSchema.describe("What it says."),
    createdAt: timestamp.describe("When it was said."),
  })
  .meta({ id: "SystemBlockEvent", description: "The data of a `block` event: the service said something." });

export const deployEventSchema = z
  .union([deltaEvent, blockEvent, systemEvent, jobEvent, queueEvent, deployEvent, turnEndEvent])
  .meta({
    id: "DeployChatEvent",
    description: [
      "The data of one server-sent event of the Deploy Chat, as JSON. Each comes with an `id` and with its name in `event`:",
      "`job`, `queue`, `block`, `delta`, `deploy` or `end`. A client that sends the last id it saw as `Last-Event-ID` goes on there.",
    ].join(" "),
  });
