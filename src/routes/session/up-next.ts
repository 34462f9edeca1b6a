// Up next of a session.
import { sessionObject } from "../../../durable-objects/address.ts";
import { workDetails, workFacts } from "../../actions/session/work-facts.ts";
import { queueRoutes } from "../queue.ts";

export const upNextRoutes = queueRoutes("/api/projects/{projectId}/chat-sessions/{sessionId}/queue", {
  noun: "session",
  with: workDetails,
  tag: "Up next",
  access: "session.read",
  names: { message: "QueuedMessage", queue: "Queue" },
  refusals: {
    send: ["DEPLOY_ACTIVE", "SANDBOX_STARTING", "SANDBOX_LIMIT_REACHED", "CREDIT_LIMIT_REACHED"],
    resume: ["COMMAND_IN_FLIGHT", "DEPLOY_ACTIVE", "SANDBOX_LIMIT_REACHED", "CREDIT_LIMIT_REACHED"],
  },
  object: (env, { session }) => sessionObject(env, session.id),
  async read({ env, found: { session } }) {
    return await sessionObject(env, session.id).read();
  },
  async send({ env, found, caller, idempotency }, messageId) {
    const object = sessionObject(env, found.session.id);
    return await object.sendQueued(messageId, caller.actor, workFacts(found, caller.actor), idempotency);
  },
  async resume({ env, caller, found, idempotency }) {
    return await sessionObject(env, found.session.id).resumeUpNext(
      caller.actor,
      workFacts(found, caller.actor),
      idempotency,
    );
  },
});
