// Up next of the Deploy Chat.
import { getProjectObject } from "../../../durable-objects/address.ts";
import { createQueueRoutes } from "../../chat/queue-routes.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { deployDetails, getDeployFacts } from "../facts.ts";
import { deployJobSchema, toWireDeployDelivery } from "../wire/deploy.ts";

const startRefusals = ["CREDIT_LIMIT_REACHED", "NOT_DEPLOYED", "DEPLOY_RESUME_UNAVAILABLE"] as const;

export const deployQueueRoutes = createQueueRoutes("/api/projects/{projectId}/settings/agentic-deploy/queue", {
  noun: "project",
  with: deployDetails,
  tag: "Deploys",
  access: {
    read: "deploy.read",
    change: "deploy-queue.change",
    delete: "deploy-queue.delete",
    resume: "deploy.use",
  },
  names: { message: "QueuedDeployMessage", queue: "DeployQueue" },
  refusals: { send: ["DEPLOY_ACTIVE", ...startRefusals], resume: [...startRefusals] },
  object: (env, { project }) => getProjectObject(env, project.id),
  async read({ env, found: { project } }) {
    const state = await getProjectObject(env, project.id).read();
    const chat = state?.chat ?? { upNext: [], pause: null, turn: null, steers: [] };
    return { chat, place: { projectId: project.id } };
  },
  sent: deployJobSchema,
  steers: "into any member's turn, on a model of anthropic",
  async send({ env, found, caller, idempotency }, messageId) {
    const object = getProjectObject(env, found.project.id);
    const sent = await object.sendQueued(getDeployFacts(found), messageId, caller.actor, idempotency);
    return isRefusal(sent) ? sent : toWireDeployDelivery(sent);
  },
  async resume({ env, found, caller, idempotency }) {
    return await getProjectObject(env, found.project.id).resumeQueue(getDeployFacts(found), caller.actor, idempotency);
  },
});
