// Chat sessions: create one, with or without its first message, and read one.
import * as z from "zod";
import { sessionObject } from "../../../durable-objects/address.ts";
import { createSession } from "../../actions/create-session.ts";
import { created, ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { deliveryOnWire, messageContent } from "../../resources/delivery.ts";
import { sessionOnWire, sessionSchema } from "../../resources/session.ts";
import { uuid } from "../../resources/wire-values.ts";
import { isBranchName } from "../../rules/branch.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { priorities } from "../../rules/session.ts";

const tag = "Chat sessions";

const createBody = z.object({
  title: z.string().trim().min(1).max(200).optional(),
  content: messageContent.optional(),
  prompt: messageContent.optional(),
  status: z.enum(["active", "backlog"]).default("active"),
  model: z.string().optional(),
  priority: z.enum(priorities).default("none"),
  targetBranch: z.string().max(255).refine(isBranchName, "is not a branch name").optional(),
});

const create = endpoint({
  method: "POST",
  path: "/api/projects/{projectId}/chat-sessions",
  summary: "Create a session. `content` starts its first turn; a Backlog session keeps `prompt`.",
  tag,
  access: "session.create",
  noun: "project",
  body: { schema: createBody },
  answers: {
    status: 201,
    data: z.object({
      session: sessionSchema,
      delivery: z.literal("job").optional(),
      chatJobId: uuid.optional(),
      jobNumber: z.int().optional(),
    }),
  },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, caller, found, body }) {
    const outcome = await createSession(env, { caller, found, wish: body, now });
    if (isRefusal(outcome)) return outcome;
    const { state, delivery } = outcome;
    return created({ session: sessionOnWire(state, env.PUBLIC_URL), ...(delivery && deliveryOnWire(delivery)) });
  },
});

const read = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}",
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

export const sessionRoutes = [create, read];
