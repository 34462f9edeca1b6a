// An event of the audit log on the wire.
import * as z from "zod";
import { callerKinds } from "../access/rules/permission-table.ts";
import { exampleIds, exampleTimes, formatTime, timestamp, uuid } from "../lib/wire.ts";
import { auditPageSizeDefault } from "../rules/limits.ts";
import type { AuditEvent } from "./rules/event.ts";

const userId = z.string().describe("The member's user id.");
const forUser = z.string().nullable().describe("The user id of the member for whom it acted; null for nobody.");

const auditActorSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("member"), userId, name: z.string().describe("Their name at that time.") }),
    z.object({
      kind: z.literal("agent"),
      sessionId: uuid.nullable().describe("The agent's session; null for that of a Deploy."),
      userId: forUser,
    }),
    z.object({
      kind: z.literal("cron"),
      cronId: z.string().describe("The cron."),
      runId: z.string().describe("Its run."),
      userId: forUser,
    }),
    z.object({ kind: z.literal("relay") }).describe("A relay of the workspace."),
    z.object({ kind: z.literal("service") }).describe("The service itself."),
    z.object({ kind: z.literal("operator") }).describe("The operator of the service."),
  ])
  .meta({ id: "AuditActor", description: "Who did something." });

export const auditEventSchema = z
  .object({
    id: uuid.describe("The event's id."),
    at: timestamp.describe("When it was done."),
    operation: z
      .string()
      .describe(
        "An operation of this API, `operator.<command>`, `agent.<tool>`, `oauth.reuse-code` or `oauth.reuse-token`.",
      ),
    actor: auditActorSchema,
    via: z.enum([...callerKinds, "operator"]).describe("The kind of credential with which it was done."),
    keyId: z.string().nullable().describe("The id of the credential; null for the operator."),
    target: z.record(z.string(), z.string()).describe("The ids of the path; `id` is what was created."),
    address: z.string().nullable().describe("The caller's network address."),
    requestId: z.string().nullable().describe("The `X-Request-Id` of the response."),
  })
  .meta({
    id: "AuditEvent",
    description: "A change that the audit log recorded.",
    examples: [
      {
        id: exampleIds.message,
        at: exampleTimes.started,
        operation: "createInvitation",
        actor: { kind: "member", userId: exampleIds.user, name: "Mia Member" },
        via: "browser",
        keyId: exampleIds.key,
        target: { workspaceId: exampleIds.workspace, id: exampleIds.invitation },
        address: "198.51.100.7",
        requestId: exampleIds.job,
      },
    ],
  });

export const auditMetaSchema = z
  .object({
    pagination: z
      .object({
        pageSize: z.int().describe("The maximum number of events on a page."),
        hasMore: z.boolean().describe("True if there may be older events."),
        nextCursor: z.string().nullable().describe("The `cursor` of the next page; null after the last."),
      })
      .meta({
        id: "AuditPagination",
        description: "The end of a page of the audit log.",
        examples: [{ pageSize: auditPageSizeDefault, hasMore: true, nextCursor: exampleIds.message }],
      }),
  })
  .describe("Metadata of the list.");

/** Converts an event for the API. */
export function toWireAuditEvent({ workspaceId: _, at, ...event }: AuditEvent): z.input<typeof auditEventSchema> {
  return { ...event, at: formatTime(at) };
}
