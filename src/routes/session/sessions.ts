// Chat sessions: create one, with or without its first message, read one, and take one out of the Backlog.
import * as z from "zod";
import { sessionObject } from "../../../durable-objects/address.ts";
import type { Begun } from "../../../durable-objects/session/rpc.ts";
import { createSession } from "../../actions/session/create.ts";
import { workCircumstances } from "../../actions/session/work-facts.ts";
import { created, ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { deliveryOnWire, messageContent } from "../../resources/delivery.ts";
import { sessionOnWire, sessionSchema, summaryOnWire } from "../../resources/session.ts";
import { uuid } from "../../resources/wire-values.ts";
import { authorOf } from "../../rules/access/actor.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { priorities } from "../../rules/session/session.ts";
import { branchField, titleField } from "./session-fields.ts";

const path = "/api/projects/{projectId}/chat-sessions";
const tag = "Chat sessions";

const createBody = z.strictObject({
  title: titleField.optional(),
  content: messageContent.optional(),
  prompt: messageContent.optional(),
  status: z.enum(["active", "backlog"]).default("active"),
  model: z.string().optional(),
  priority: z.enum(priorities).default("none"),
  /** Null leaves the session unassigned; missing, it is the caller's. */
  assigneeId: z.string().nullable().optional(),
  targetBranch: branchField.optional(),
});

/** A session, and what became of its first message when it has one. */
const startedSchema = z.object({
  session: sessionSchema,
  delivery: z.literal("job").optional(),
  chatJobId: uuid.optional(),
  jobNumber: z.int().optional(),
});

function startedOnWire({ session, delivery }: Begun, publicUrl: string) {
  return { session: summaryOnWire(session, publicUrl), ...(delivery && deliveryOnWire(delivery)) };
}

const create = endpoint({
  method: "POST",
  path,
  summary: "Create a session. `content` starts its first turn; a Backlog session keeps `prompt`.",
  tag,
  access: "session.create",
  noun: "project",
  with: ["runningMsThisMonth"],
  body: { schema: createBody },
  isRepeatable: true,
  answers: { status: 201, data: startedSchema },
  refusals: ["BAD_REQUEST", "DEPLOY_ACTIVE", "SANDBOX_LIMIT_REACHED", "CREDIT_LIMIT_REACHED"],
  async handle({ env, now, caller, found, body, idempotency }) {
    const outcome = await createSession(env, { caller, found, wish: body, repeat: idempotency, now });
    if (isRefusal(outcome)) return outcome;
    return created(startedOnWire(outcome, env.PUBLIC_URL));
  },
});

const read = endpoint({
  method: "GET",
  path: `${path}/{sessionId}`,
  summary: "Read a session.",
  tag,
  access: "session.read",
  noun: "session",
  answers: { status: 200, data: z.object({ session: sessionSchema }) },
  async handle({ env, found }) {
    const state = await sessionObject(env, found.session.id).read();
    return isRefusal(state) ? state : ok({ session: sessionOnWire(state, env.PUBLIC_URL) });
  },
});

const activate = endpoint({
  method: "POST",
  path: `${path}/{sessionId}/activate`,
  summary: "Start a session of the Backlog. Its saved prompt becomes the first message.",
  tag,
  access: "session.activate",
  noun: "session",
  with: ["runningMsThisMonth", "slot"],
  isRepeatable: true,
  answers: { status: 200, data: startedSchema },
  refusals: ["BAD_REQUEST", "DEPLOY_ACTIVE", "SANDBOX_LIMIT_REACHED", "CREDIT_LIMIT_REACHED", "SESSION_UPDATING"],
  async handle({ env, caller, found, idempotency }) {
    const order = { author: authorOf(caller.actor), model: null, runningTurnId: null, retriedTurnId: null, seen: null };
    const session = sessionObject(env, found.session.id);
    const outcome = await session.activate(order, workCircumstances(found), idempotency);
    if (isRefusal(outcome)) return outcome;
    return ok(startedOnWire(outcome, env.PUBLIC_URL));
  },
});

export const sessionRoutes = [create, read, activate];
