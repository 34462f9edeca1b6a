// The routes of a project's Deploys: list, start and message, stop, and the model of the deploy
// agent.
import * as z from "zod";
import { getProjectObject } from "../../../durable-objects/address.ts";
import { noContext } from "../../chat/rules/message.ts";
import { endpoint } from "../../http/endpoint.ts";
import { chatEventsQuery } from "../../http/event-stream.ts";
import { createOwnerStream } from "../../http/owner-stream.ts";
import { created, eventStreamType, ok, paged, streamed } from "../../http/response.ts";
import { pageQuery } from "../../lib/pagination.ts";
import { uuid } from "../../lib/wire.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { deployDetails, getDeployFacts } from "../facts.ts";
import { deployChatSchema, deployEventSchema, deployEventsSchema, toWireDeployChat } from "../wire/chat.ts";
import {
  deployDeliverySchema,
  deploySchema,
  instructionSchema,
  toWireDeploy,
  toWireDeployDelivery,
  toWireDeployJob,
  toWireInstruction,
} from "../wire/deploy.ts";
import { checkMessage, deployBody } from "./send-body.ts";

const path = "/api/projects/{projectId}/settings/agentic-deploy";
const tag = "Deploys";

const listDeploys = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/deploys",
  operation: "listDeploys",
  summary: "List the Deploys of a project, newest first.",
  tag,
  access: "deploy.read",
  noun: "project",
  query: pageQuery,
  response: { status: 200, data: z.array(deploySchema), isPaged: true },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found, query }) {
    const { deploys, total } = await getProjectObject(env, found.project.id).deploys(query.page, query.pageSize);
    return paged(deploys.map(toWireDeploy), { ...query, total });
  },
});

const deploy = endpoint({
  method: "POST",
  path,
  operation: "deploy",
  summary:
    "Start a Deploy, or send its agent a message. Without a message a new Deploy starts, and one that runs is stopped.",
  tag,
  access: "deploy.use",
  noun: "project",
  with: deployDetails,
  body: deployBody,
  isRepeatable: true,
  response: { status: 201, data: deployDeliverySchema },
  repeatResponse: "A Deploy was started or continues with the message, or the message joins the agent's next turn.",
  refusals: [
    ...(["BAD_REQUEST", "CREDIT_LIMIT_REACHED", "DEPLOY_ACTIVE", "JOB_STOPPED", "NOT_DEPLOYED"] as const),
    ...(["DEPLOY_RESUME_UNAVAILABLE", "QUEUE_FULL", "IDEMPOTENCY_KEY_REUSED"] as const),
  ],
  async handle({ env, found, caller, body, attachments, dropAttachments, idempotency }) {
    const refusal = checkMessage(body);
    if (refusal) return refusal;
    const object = getProjectObject(env, found.project.id);
    const facts = getDeployFacts(found);
    const { content, answers, freshDeploy: onlyIfIdle, runningDeployJobId: seenDeployId } = body;
    const message = content === null ? null : { content, attachments, context: noContext };
    if (message === null || onlyIfIdle) {
      const isFresh = message !== null;
      const seen = isFresh ? seenDeployId : null;
      const opening = { by: caller.actor, opening: message, onlyIfIdle: isFresh, seenDeployId: seen };
      const started = await object.start(facts, opening, idempotency);
      if (isRefusal(started)) return started;
      if (started.isRepeat) await dropAttachments();
      return ok(toWireDeployJob(started.result));
    }
    const sent = await object.send(facts, { by: caller.actor, body: message, answers, seenDeployId }, idempotency);
    if (isRefusal(sent)) return sent;
    if (sent.isRepeat) await dropAttachments();
    const answer = toWireDeployDelivery(sent.result);
    return answer.delivery === "queued" ? created(answer) : ok(answer);
  },
});

const cancelAnswer = z
  .object({
    cancelled: z.int().describe("1 if a Deploy ran or waited, else 0."),
    discardedInstructionIds: z.array(uuid).describe("The ids of the messages that waited."),
    discardedInstructions: z.array(instructionSchema).describe("Those messages. They are not kept."),
  })
  .meta({
    id: "DeployCancelled",
    description: "The result of a stop.",
    examples: [{ cancelled: 1, discardedInstructionIds: [], discardedInstructions: [] }],
  });

const cancel = endpoint({
  method: "POST",
  path: `${path}/cancel`,
  operation: "cancelDeploy",
  summary: "Stop the Deploy that runs or waits for an answer. Up next pauses.",
  tag,
  access: "deploy.use",
  noun: "project",
  response: { status: 200, data: cancelAnswer },
  refusals: ["DEPLOY_ACTIVE"],
  async handle({ env, found, caller }) {
    const stopped = await getProjectObject(env, found.project.id).cancel(getDeployFacts(found), caller.actor);
    if (isRefusal(stopped)) return stopped;
    const { cancelled, discarded } = stopped;
    return ok({
      cancelled,
      discardedInstructionIds: discarded.map(({ id }) => id),
      discardedInstructions: discarded.map((instruction) => toWireInstruction(found.project.id, instruction)),
    });
  },
});

const chooseModel = endpoint({
  method: "PUT",
  path: `${path}/model`,
  operation: "chooseDeployModel",
  summary: "Choose the model of the deploy agent.",
  tag,
  access: "deploy.use",
  noun: "project",
  body: {
    schema: z
      .strictObject({ model: z.string().describe("The id of a model of anthropic or openai.") })
      .meta({ examples: [{ model: "anthropic:opus__high" }] }),
  },
  response: {
    status: 200,
    data: z
      .object({ deployModel: z.string().describe("The model of the next turn.") })
      .meta({ examples: [{ deployModel: "anthropic:opus__high" }] }),
  },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found, caller, body: { model } }) {
    const chosen = await getProjectObject(env, found.project.id).chooseModel(
      getDeployFacts(found),
      model,
      caller.actor,
    );
    return isRefusal(chosen) ? chosen : ok({ deployModel: chosen });
  },
});

export const deployRoutes = [listDeploys, deploy, cancel, chooseModel];

/** The live events of the Deploy Chat, as server-sent events. */
const followDeploys = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/deploy-messages/events",
  operation: "followDeploys",
  summary: "Follow the Deploy Chat, from the first event of its newest turn.",
  tag: "Deploys",
  access: "deploy.read",
  noun: "project",
  query: chatEventsQuery,
  response: { status: 200, data: deployEventSchema, events: deployEventsSchema, mediaType: eventStreamType },
  handle: (call) => createOwnerStream(call, { type: "project", id: call.found.project.id }, null),
});

export const deployEventRoutes = [followDeploys];

/** The Deploy Chat: the state of the newest Deploy, and its messages. */
const read = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/deploy-messages",
  operation: "readDeployChat",
  summary: "Read the Deploy Chat: the newest Deploy, and the messages since a member started one.",
  tag: "Deploys",
  access: "deploy.read",
  noun: "project",
  with: ["workspaceCredentials"],
  response: { status: 200, data: deployChatSchema },
  async handle({ env, found }) {
    const { view, messages } = await getProjectObject(env, found.project.id).deployChat(getDeployFacts(found));
    return streamed("messages", messages, toWireDeployChat(found.project.id, view, found.workspaceCredentials));
  },
});

export const deployMessageRoutes = [read];
