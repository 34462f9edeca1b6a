// Up next of a session.
import { sessionObject } from "../../../durable-objects/address.ts";
import { queueRoutes } from "../../chat/queue-routes.ts";
import { deliveryOnWire, jobDeliverySchema } from "../../chat/wire/queue.ts";
import { isRefusal, type RefusalCode } from "../../rules/refusal.ts";
import { workDetails, workFacts } from "../facts.ts";

/** The refusals of a session Under Review. */
const ofReview: RefusalCode[] = ["SESSION_UNDER_REVIEW", "SESSION_UPDATING"];

export const upNextRoutes = queueRoutes("/api/projects/{projectId}/chat-sessions/{sessionId}/queue", {
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
      ...(["CREDIT_LIMIT_REACHED", ...ofReview] as const),
    ],
    steer: ofReview,
    resume: [
      ...(["BAD_REQUEST", "COMMAND_IN_FLIGHT", "DEPLOY_ACTIVE", "SANDBOX_LIMIT_REACHED"] as const),
      ...(["CREDIT_LIMIT_REACHED", ...ofReview] as const),
    ],
  },
  object: (env, { session }) => sessionObject(env, session.id),
  async read({ env, found: { session } }) {
    const state = await sessionObject(env, session.id).read();
    return isRefusal(state) ? state : { chat: state.chat, place: state.session };
  },
  sent: jobDeliverySchema,
  steers: "into a turn of their own",
  async send({ env, found, caller, idempotency }, messageId) {
    const object = sessionObject(env, found.session.id);
    const sent = await object.sendQueued(messageId, caller.actor, workFacts(found, caller.actor), idempotency);
    return isRefusal(sent) ? sent : deliveryOnWire(sent);
  },
  async resume({ env, caller, found, idempotency }) {
    return await sessionObject(env, found.session.id).resumeUpNext(
      caller.actor,
      workFacts(found, caller.actor),
      idempotency,
    );
  },
});
