// Sessions: create one with or without a first message, read one, and activate one from the
// Backlog.
import * as z from "zod";
import { getSessionObject } from "../../../durable-objects/address.ts";
import type { StartResult } from "../../../durable-objects/session/rpc.ts";
import type { Found } from "../../access/queries.ts";
import { type Caller, findPersonId } from "../../access/rules/caller.ts";
import { relaySenderSchema } from "../../chat/wire/author.ts";
import { messageContent, toWireDelivery } from "../../chat/wire/queue.ts";
import { resultSchemaField } from "../../chat/wire/result-schema.ts";
import type { Env } from "../../env.ts";
import { endpoint } from "../../http/endpoint.ts";
import { created, ok, type RouteResult } from "../../http/response.ts";
import { fromJson, uuid } from "../../lib/wire.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { findSessionOfPlace } from "../../trigger/queries/triggers.ts";
import { createSession } from "../create.ts";
import { getWorkFacts, workDetails } from "../facts.ts";
import { prioritySchema, sessionSchema, toWireSession, toWireSummary } from "../wire.ts";
import { branchField, metadataField, placeField, spendLimitField, titleField } from "./fields.ts";

const path = "/api/projects/{projectId}/chat-sessions";
const tag = "Chat sessions";

const createBody = z
  .strictObject({
    title: titleField.optional(),
    content: messageContent.optional().describe("The first message. It starts the first turn."),
    prompt: messageContent.optional().describe("The first message of a Backlog session."),
    status: z.enum(["active", "backlog"]).default("active").describe("Work begins, or waits in the Backlog."),
    model: z.string().optional().describe("The model id that the session starts on."),
    priority: prioritySchema.default("none").describe("How urgent the session is."),
    assigneeId: z
      .string()
      .nullable()
      .optional()
      .describe(
        "The user id of a member; null for nobody. Left out, the session is the caller's, if the caller acts for a member.",
      ),
    targetBranch: branchField.optional(),
    spendLimitUsd: spendLimitField.optional(),
    metadata: metadataField.optional(),
    resultSchema: resultSchemaField.optional(),
    place: placeField.optional(),
    sender: relaySenderSchema.optional(),
  })
  .meta({ examples: [{ title: "Sort departures by time", content: "Sort departures by time." }] })
  .prefault({});

const formBody = z
  .strictObject({ session: fromJson(createBody.describe("The body.")) })
  .transform(({ session }) => session)
  .meta({ examples: [{ session: '{"content":"Like this?"}', attachmentCount: 1 }] });

const startedSchema = z
  .object({
    session: sessionSchema,
    delivery: z.literal("job").optional().describe("Set where the first message started a turn."),
    chatJobId: uuid.optional().describe("The id of the turn's job, where one started."),
    jobNumber: z.int().optional().describe("The number of the job, where one started."),
  })
  .meta({ id: "StartedSession", description: "A session, and the delivery of its first message." });

function toWireStarted({ session, delivery }: StartResult, publicUrl: string) {
  return { session: toWireSummary(session, publicUrl), ...(delivery && toWireDelivery(delivery)) };
}

const create = endpoint({
  method: "POST",
  path,
  operation: "createSession",
  summary:
    "Create a session. `content` starts its first turn; a Backlog session keeps `prompt`. An agent's turn creates up to 20, and agents create sessions 3 deep; beyond that it is 403.",
  tag,
  access: "session.create",
  noun: "project",
  with: ["runningMsThisMonth", "workspaceSpend", "callerModels"],
  body: { schema: createBody, form: { schema: formBody, check: () => null } },
  reservesSession: true,
  isRepeatable: true,
  response: { status: 201, data: startedSchema },
  repeatResponse: "The session of the place. Nothing was sent.",
  refusals: ["BAD_REQUEST", "DEPLOY_ACTIVE", "SANDBOX_LIMIT_REACHED", "CREDIT_LIMIT_REACHED", "SESSION_UPDATING"],
  async handle({ env, now, caller, found, body, attachments, reservedId, dropAttachments, idempotency }) {
    const files = { attachments, reservedId };
    const outcome = await createSession(env, { caller, found, draft: body, ...files, repeat: idempotency, now });
    if (isRefusal(outcome)) return outcome;
    if (outcome.isRepeat) await dropAttachments();
    return (outcome.isNew ? created : ok)(toWireStarted(outcome, env.PUBLIC_URL));
  },
});

const read = endpoint({
  method: "GET",
  path: `${path}/{sessionId}`,
  operation: "readSession",
  summary: "Read a session.",
  tag,
  access: "session.read",
  noun: "session",
  with: ["seenMark"],
  response: { status: 200, data: z.object({ session: sessionSchema }) },
  async handle({ env, caller, found }) {
    return await readFor(env, caller, found);
  },
});

const readById = endpoint({
  method: "GET",
  path: "/api/chat-sessions/{sessionId}",
  operation: "findSession",
  summary: "Read a session without its project's id.",
  tag,
  access: "session.read",
  noun: "sessionById",
  with: ["seenMark"],
  response: { status: 200, data: z.object({ session: sessionSchema }) },
  async handle({ env, caller, found }) {
    return await readFor(env, caller, found);
  },
});

async function readFor(
  env: Env,
  caller: Caller,
  { session, seenMark }: Found<"session", "seenMark">,
): Promise<RouteResult | Refusal> {
  const state = await getSessionObject(env, session.id).read();
  if (isRefusal(state)) return state;
  const mark = findPersonId(caller) === null ? undefined : seenMark;
  return ok({ session: toWireSession(state, env.PUBLIC_URL, mark) });
}

const readPlace = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/places/{placeKind}/{placeId}",
  operation: "readPlace",
  summary: "Read the session of a place.",
  tag,
  access: "place.read",
  noun: "project",
  response: { status: 200, data: z.object({ session: sessionSchema }) },
  async handle({ env, found, params: { placeKind: kind, placeId: externalId } }) {
    const sessionId = await findSessionOfPlace(env.DB, found.project.id, { kind, externalId });
    const state = sessionId === null ? null : await getSessionObject(env, sessionId).read();
    if (state === null || isRefusal(state)) return refuse("NOT_FOUND", "The place has no session.");
    return ok({ session: toWireSession(state, env.PUBLIC_URL) });
  },
});

const activate = endpoint({
  method: "POST",
  path: `${path}/{sessionId}/activate`,
  operation: "activateSession",
  summary: "Start a session of the Backlog. Its saved prompt becomes the first message.",
  tag,
  access: "session.activate",
  noun: "session",
  with: workDetails,
  isRepeatable: true,
  response: { status: 200, data: startedSchema },
  refusals: ["BAD_REQUEST", "DEPLOY_ACTIVE", "SANDBOX_LIMIT_REACHED", "CREDIT_LIMIT_REACHED", "SESSION_UPDATING"],
  async handle({ env, caller, found, idempotency }) {
    const order = { by: caller.actor, model: null, runningTurnId: null, retriedTurnId: null, seen: null };
    const session = getSessionObject(env, found.session.id);
    const outcome = await session.activate(order, getWorkFacts(found, caller.actor), idempotency);
    if (isRefusal(outcome)) return outcome;
    return ok(toWireStarted(outcome, env.PUBLIC_URL));
  },
});

export const sessionRoutes = [create, read, readById, readPlace, activate];
