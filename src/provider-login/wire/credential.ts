// The model provider credentials of a workspace on the wire, and the models that its members can
// run.
import * as z from "zod";
import { exampleTimes, formatTime, timestamp } from "../../lib/wire.ts";
import { type ProviderId, providerIds } from "../../model/rules/provider.ts";
import type { LoginRow } from "../queries/logins.ts";
import { getAccessStatus } from "../rules/access-status.ts";

const keyCharactersMax = 1_000;

/** A pasted API key of a provider. */
export const apiKeyField = z
  .string()
  .trim()
  .min(1)
  .max(keyCharactersMax)
  .regex(/^[!-~]*$/, "must be printable ASCII characters without spaces")
  .describe("A key of the provider.");

const exampleCredential = {
  kind: "organization",
  authMethod: "api_key",
  needsReauth: false,
  accountEmail: null,
  maskedApiKey: "sk-a…x7Qa",
  authenticatedAt: exampleTimes.started,
};

const credentialSchema = z
  .object({
    kind: z.literal("organization"),
    authMethod: z.enum(["api_key", "sign_in"]).describe("How it was connected."),
    needsReauth: z.boolean().describe("True if it has to be connected again."),
    accountEmail: z.string().nullable().describe("The account's address; null if unknown."),
    maskedApiKey: z.string().nullable().describe("The ends of the key; null for a sign-in."),
    authenticatedAt: timestamp.describe("When it was connected."),
  })
  .meta({
    id: "WorkspaceCredential",
    description: "A workspace's credential at a model provider.",
    examples: [exampleCredential],
  });

/** An object with one value for each provider. */
function eachProvider<Schema extends z.ZodType>(schema: Schema): z.ZodObject<Record<ProviderId, Schema>> {
  return z.object(Object.fromEntries(providerIds.map((id) => [id, schema])) as Record<ProviderId, Schema>);
}

export const credentialsSchema = eachProvider(
  credentialSchema.nullable().describe("Null while the workspace has none."),
).meta({
  id: "WorkspaceCredentials",
  description: "The credentials of a workspace, by provider.",
  examples: [{ anthropic: exampleCredential, openai: null, zai: null, kimi: null }],
});

const accessStatusSchema = z
  .object({
    canRun: z.boolean().describe("True when you can run its models."),
    via: z.enum(["subscription", "workspace"]).nullable().describe("The login that your turns use; null for none."),
    needsReauth: z.boolean().describe("True if that login has to be connected again."),
  })
  .meta({
    id: "ProviderAccess",
    description: "Whether you can run a provider.",
    examples: [{ canRun: true, via: "workspace", needsReauth: false }],
  });

export const accessStatusesSchema = z
  .object({ providers: eachProvider(accessStatusSchema).describe("What you can run, by provider.") })
  .meta({
    id: "AccessStatus",
    description: "Which providers you can run in a workspace.",
    examples: [
      {
        providers: Object.fromEntries(
          providerIds.map((id) => [id, { canRun: true, via: "workspace", needsReauth: false }]),
        ),
      },
    ],
  });

export function toWireCredentials(rows: LoginRow[]): z.infer<typeof credentialsSchema> {
  return forEachProvider((id) => {
    const row = rows.find(({ provider }) => provider === id);
    return row ? toWireCredential(row) : null;
  });
}

function toWireCredential(row: LoginRow): z.infer<typeof credentialSchema> {
  const isKey = row.kind === "key";
  return {
    kind: "organization",
    authMethod: isKey ? "api_key" : "sign_in",
    needsReauth: row.needsReauth,
    accountEmail: row.accountEmail,
    maskedApiKey: row.maskedKey,
    authenticatedAt: formatTime(row.authenticatedAt),
  };
}

/** `own` are the caller's logins, `ofWorkspace` the workspace's. */
export function toWireAccessStatuses(own: LoginRow[], ofWorkspace: LoginRow[]): z.infer<typeof accessStatusesSchema> {
  const at = (rows: LoginRow[], id: ProviderId) => rows.filter(({ provider }) => provider === id);
  return { providers: forEachProvider((id) => getAccessStatus(at(own, id), at(ofWorkspace, id)[0] ?? null)) };
}

function forEachProvider<Value>(value: (id: ProviderId) => Value): Record<ProviderId, Value> {
  return Object.fromEntries(providerIds.map((id) => [id, value(id)])) as Record<ProviderId, Value>;
}
