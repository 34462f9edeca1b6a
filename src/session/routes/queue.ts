// Up next of a session.
import { getSessionObject } from "../../../durable-objects/address.ts";
import { createQueueRoutes } from "../../chat/queue-routes.ts";
import { jobDeliverySchema, toWireDelivery } from "../../chat/wire/queue.ts";
import { isRefusal, type RefusalCode } from "../../rules/refusal.ts";
import { getWorkFacts, workDetails } from "../facts.ts";

/** The refusals of a session Under Review. */
const ofReview: RefusalCode[] = ["SESSION_UNDER_REVIEW", "SESSION_UPDATING"];

export const sessionQueueRoutes = createQueueRoutes("/api/projects/{projectId}/chat-sessions/{sessionId}/queue", {
  noun: "session",
  with: workDetails,
  tag: "Up next",
  access: {
    read: "session.read",
    change: "up-next.change",
    delete: "up-next.delete",
    resume: "up-next.resume",
  },
  names: { message: "QueuedMessage", queue: "Queue" },
  refusals: {
    send: [
      ...(["JOB_IN_PROGRESS", "DEPLOY_ACTIVE", "SANDBOX_STARTING", "SANDBOX_LIMIT_REACHED"] as const),
      ...(["CREDIT_LIMIT_REACHED", "COMMAND_IN_FLIGHT", ...ofReview] as const),
    ],
    steer: ofReview,
    resume: [
      ...(["BAD_REQUEST", "COMMAND_IN_FLIGHT", "DEPLOY_ACTIVE", "SANDBOX_LIMIT_REACHED"] as const),
      ...(["CREDIT_LIMIT_REACHED", ...ofReview] as const),
    ],
  },
  object: (env, { session }) => getSessionObject(env, session.id),
  async read({ env, found: { session } }) {
    const state = await getSessionObject(env, session.id).read();
    return isRefusal(state) ? state : { chat: state.chat, place: state.session };
  },
  sent: jobDeliverySchema,
  steers: "into a turn of their own",
  async send({ env, found, caller, idempotency }, messageId) {
    const object = getSessionObject(env, found.session.id);
    const sent = await object.sendQueued(messageId, caller.actor, getWorkFacts(found, caller.actor), idempotency);
    return isRefusal(sent) ? sent : toWireDelivery(sent);
  },
  async resume({ env, caller, found, idempotency }) {
    return await getSessionObject(env, found.session.id).resumeQueue(
      caller.actor,
      getWorkFacts(found, caller.actor),
      idempotency,
    );
  },
});
