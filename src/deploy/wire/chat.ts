// The Deploy Chat on the wire.
import * as z from "zod";
import type { DeployChatView } from "../../../durable-objects/project/rpc.ts";
import type { Details } from "../../access/queries.ts";
import type { ChatEvent } from "../../chat/rules/live-event.ts";
import type { Message } from "../../chat/rules/message.ts";
import { blockSchema } from "../../chat/wire/block.ts";
import {
  blockEvent,
  deltaEvent,
  jobEvent,
  outputEvent,
  queueEvent,
  resetEventSchema,
  toWireChatEvent,
  turnEndEvent,
  type WireEvent,
} from "../../chat/wire/live-event.ts";
import { messageSchema, toWireMessage } from "../../chat/wire/message.ts";
import { exampleAuthor, exampleIds, exampleTimes, timestamp, uuid } from "../../lib/wire.ts";
import { type ProviderId, providerIds } from "../../model/rules/provider.ts";
import type { DeployChanged } from "../rules/live-event.ts";
import { deployStatuses } from "../rules/status.ts";
import { deploySchema, instructionSchema, toWireDeploy, toWireInstruction } from "./deploy.ts";

/** A message of the Deploy Chat on the wire. */
export const deployMessageSchema = messageSchema
  .omit({ jobId: true })
  .extend({ deployJobId: uuid.describe("The id of the Deploy that it belongs to.") })
  .meta({
    id: "DeployMessage",
    description: "A message of the Deploy Chat.",
    examples: [
      {
        id: exampleIds.message,
        deployJobId: exampleIds.job,
        role: "user",
        content: "Start the worker too.",
        blocks: [],
        delivery: "job",
        author: exampleAuthor,
        attachments: [],
        createdAt: exampleTimes.started,
      },
    ],
  });

/** Converts the messages of a project. `getDeployId` returns the Deploy of a turn. */
export function toWireDeployMessage(projectId: string, getDeployId: (turnId: string) => string) {
  return (message: Message): z.infer<typeof deployMessageSchema> => {
    const { jobId, ...rest } = toWireMessage({ projectId }, message);
    return { ...rest, deployJobId: getDeployId(jobId) };
  };
}

const ownerSchema = z
  .object({
    kind: z.literal("organization").describe("The workspace holds it."),
    needsReauth: z.boolean().describe("True if it has to be connected again."),
    authMethod: z.enum(["api_key", "sign_in"]).describe("How it was connected."),
  })
  .meta({
    id: "CredentialOwner",
    description: "The credentials that Deploys use at a provider.",
    examples: [{ kind: "organization", needsReauth: false, authMethod: "api_key" }],
  });

const ownersSchema = z.object(
  Object.fromEntries(
    providerIds.map((id) => [id, ownerSchema.nullable().describe("Null while the workspace has none.")]),
  ) as Record<ProviderId, z.ZodNullable<typeof ownerSchema>>,
);

const stateSchema = z.object({
  status: z
    .enum(["idle", ...deployStatuses])
    .describe(
      "The state of the newest Deploy. Before the first: `deployed` for a project that is live without one, else `idle`.",
    ),
  deployJobId: uuid.nullable().describe("The newest Deploy; null before the first."),
  activeStreamId: uuid.nullable().describe("The stream of the running turn."),
  lastStreamId: uuid.nullable().describe("The stream of the newest turn; null before the first."),
  error: z.string().nullable().describe("Why it failed."),
  deploySandboxId: z.string().nullable().describe("The sandbox that the Deploy works in, then the live one."),
  deployModel: z.string().nullable().describe("The model of the next turn; null when none can run."),
  credentialOwners: ownersSchema.describe("The credentials that Deploys use, by provider."),
  instructions: z.array(instructionSchema).describe("The messages that wait for the agent's next turn."),
});

export const deployChatSchema = stateSchema
  .extend({ messages: z.array(deployMessageSchema).describe("The messages, oldest first.") })
  .meta({
    id: "DeployChat",
    description: "The state of the newest Deploy, and the conversation with its agent.",
    examples: [
      {
        status: "idle",
        deployJobId: null,
        activeStreamId: null,
        lastStreamId: null,
        error: null,
        deploySandboxId: null,
        deployModel: "anthropic:opus__xhigh",
        credentialOwners: {
          anthropic: { kind: "organization", needsReauth: false, authMethod: "api_key" },
          openai: null,
          zai: null,
          kimi: null,
        },
        instructions: [],
        messages: [],
      },
    ],
  });

/** All fields except the messages, which are streamed. */
export function toWireDeployChat(
  projectId: string,
  view: DeployChatView,
  credentials: Details["workspaceCredentials"],
): z.infer<typeof stateSchema> {
  const { deploy, status, activeTurnId, lastTurnId, sandboxKey, deployModel, instructions } = view;
  const findOwner = (id: ProviderId) => {
    const held = credentials.find(({ provider }) => provider === id);
    if (!held) return null;
    const authMethod = held.kind === "key" ? ("api_key" as const) : ("sign_in" as const);
    return { kind: "organization" as const, needsReauth: held.needsReauth, authMethod };
  };
  const owners = providerIds.map((id): [ProviderId, ReturnType<typeof findOwner>] => [id, findOwner(id)]);
  return {
    status,
    deployJobId: deploy?.id ?? null,
    activeStreamId: activeTurnId,
    lastStreamId: lastTurnId,
    error: deploy?.error ?? null,
    deploySandboxId: sandboxKey,
    deployModel,
    credentialOwners: Object.fromEntries(owners) as Record<ProviderId, ReturnType<typeof findOwner>>,
    instructions: instructions.map((instruction) => toWireInstruction(projectId, instruction)),
  };
}

/** Converts an event of a Deploy Chat. `projectId` is for the URLs of its attachments. */
export function toWireDeployEvent(event: ChatEvent | DeployChanged, projectId: string): WireEvent {
  if (event.type !== "deploy-changed") return toWireChatEvent(event, { projectId });
  return { event: "deploy", data: { deploy: event.deploy && toWireDeploy(event.deploy) } };
}

const deployEvent = z
  .object({ deploy: deploySchema.nullable().describe("The newest Deploy; null before the first.") })
  .meta({ id: "DeployEvent", description: "A Deploy began or changed." });

const systemEvent = z
  .object({
    deployJobId: uuid.describe("The Deploy that it is about."),
    messageId: uuid.describe("The id of the message."),
    role: z.literal("system").describe("The service wrote it."),
    index: z.literal(0).describe("It has one block."),
    block: blockSchema.describe("Its text."),
    createdAt: timestamp.describe("When it was written."),
  })
  .meta({ id: "SystemBlockEvent", description: "A text of the service." });

export const deployEventsSchema = z
  .object({
    job: jobEvent,
    block: z.union([blockEvent, systemEvent]).describe("A new or changed block, or a text of the service."),
    delta: deltaEvent,
    output: outputEvent,
    queue: queueEvent,
    deploy: deployEvent,
    reset: resetEventSchema,
    end: turnEndEvent,
  })
  .meta({ id: "DeployEvents", description: "The data of the events of the Deploy Chat's stream, by their names." });

/**
 * The schemas of the live events of the Deploy Chat: the data of each server-sent event, by event
 * name.
 */
export const deployEventSchema = z
  .union([
    deltaEvent,
    outputEvent,
    blockEvent,
    systemEvent,
    jobEvent,
    queueEvent,
    deployEvent,
    turnEndEvent,
    resetEventSchema,
  ])
  .meta({
    id: "DeployChatEvent",
    description: [
      "The data of one server-sent event of the Deploy Chat, as JSON. Each comes with its name in `event`, and all but `output` with an `id`:",
      "`job`, `queue`, `block`, `delta`, `output`, `deploy`, `reset` or `end`. A client that sends the last id it saw as `Last-Event-ID` continues there.",
    ].join(" "),
  });
