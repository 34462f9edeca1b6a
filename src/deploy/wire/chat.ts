// The Deploy Chat on the wire.
import * as z from "zod";
import type { DeployChatView } from "../../../durable-objects/project/rpc.ts";
import type { Details } from "../../access/queries.ts";
import { type ProviderId, providerIds } from "../../model/rules/provider.ts";
import { uuid } from "../../resources/wire-values.ts";
import { deployStatuses } from "../rules/status.ts";
import { deployMessageSchema } from "./chat-deploy-message.ts";
import { instructionOnWire, instructionSchema } from "./deploy-instruction.ts";

const ownerSchema = z
  .object({
    kind: z.literal("organization").describe("The workspace holds it."),
    needsReauth: z.boolean().describe("True when it has to be connected again."),
    authMethod: z.enum(["api_key", "oauth"]).describe("How it was connected."),
  })
  .meta({
    id: "CredentialOwner",
    description: "What Deploys run on at a provider.",
    examples: [{ kind: "organization", needsReauth: false, authMethod: "api_key" }],
  });

const ownersSchema = z.object(
  Object.fromEntries(
    providerIds.map((id) => [id, ownerSchema.nullable().describe("Null while the workspace has no credential here.")]),
  ) as Record<ProviderId, z.ZodNullable<typeof ownerSchema>>,
);

const stateSchema = z.object({
  status: z
    .enum(["idle", ...deployStatuses])
    .describe(
      "How the newest Deploy stands. Before the first: `deployed` for a project that is live without one, else `idle`.",
    ),
  deployJobId: uuid.nullable().describe("The newest Deploy; null before the first."),
  activeStreamId: uuid.nullable().describe("The stream of the turn that runs; null when none does."),
  lastStreamId: uuid.nullable().describe("The stream of the newest turn; null before the first."),
  error: z.string().nullable().describe("Why the newest run failed, or why the service ended it; else null."),
  deploySandboxId: z.string().nullable().describe("The sandbox that the Deploy works in, then the live one."),
  deployModel: z.string().nullable().describe("The model that the next turn runs on; null when none can."),
  credentialOwners: ownersSchema.describe("What Deploys run on, by provider."),
  instructions: z.array(instructionSchema).describe("The messages that wait for the agent's next turn."),
});

export const deployChatSchema = stateSchema
  .extend({ messages: z.array(deployMessageSchema).describe("The messages, oldest first.") })
  .meta({
    id: "DeployChat",
    description: "How the newest Deploy stands, and the conversation with its agent.",
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

/** Everything but the messages, which are streamed. */
export function deployChatOnWire(
  projectId: string,
  view: DeployChatView,
  credentials: Details["workspaceCredentials"],
): z.infer<typeof stateSchema> {
  const { deploy, status, activeTurnId, lastTurnId, sandboxKey, deployModel, instructions } = view;
  const ownerOf = (id: ProviderId) => {
    const held = credentials.find(({ provider }) => provider === id);
    if (!held) return null;
    const authMethod = held.kind === "key" ? ("api_key" as const) : ("oauth" as const);
    return { kind: "organization" as const, needsReauth: held.needsReauth, authMethod };
  };
  const owners = providerIds.map((id): [ProviderId, ReturnType<typeof ownerOf>] => [id, ownerOf(id)]);
  return {
    status,
    deployJobId: deploy?.id ?? null,
    activeStreamId: activeTurnId,
    lastStreamId: lastTurnId,
    error: deploy?.error ?? null,
    deploySandboxId: sandboxKey,
    deployModel,
    credentialOwners: Object.fromEntries(owners) as Record<ProviderId, ReturnType<typeof ownerOf>>,
    instructions: instructions.map((instruction) => instructionOnWire(projectId, instruction)),
  };
}
