// Up next of a session: list, edit, move, send, steer and delete queued messages, and resume a paused queue.
import * as z from "zod";
import { sessionObject } from "../../../durable-objects/address.ts";
import { workFacts } from "../../actions/session/work-facts.ts";
import { noContent, ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { deliveryOnWire, jobDeliverySchema, steerDeliverySchema } from "../../resources/delivery.ts";
import { queueOnWire, queueSchema } from "../../resources/queued-message.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { editBody, editOf } from "./edit-body.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/queue";
const tag = "Up next";

const readQueue = endpoint({
  method: "GET",
  path,
  operation: "readQueue",
  summary: "Read Up next, in the order its messages will be sent.",
  tag,
  access: "session.read",
  noun: "session",
  answers: { status: 200, data: queueSchema },
  async handle(call) {
    const state = await sessionObject(call.env, call.found.session.id).read();
    return isRefusal(state) ? state : ok(queueOnWire(state, call.caller.actor, call.now));
  },
});

const editMessage = endpoint({
  method: "PATCH",
  path: `${path}/{queuedMessageId}`,
  operation: "editQueuedMessage",
  summary: "Edit a waiting message in its place. Its author alone.",
  tag,
  access: "up-next.change",
  noun: "session",
  body: editBody,
  answers: { status: 204 },
  refusals: ["BAD_REQUEST", "QUEUED_MESSAGE_CHANGED", "QUEUED_MESSAGE_GONE"],
  async handle(call) {
    const { body, attachments, env, found, params } = call;
    const place = { messageId: params.queuedMessageId ?? "", by: call.caller.actor };
    const edit = { ...editOf(body), ...place, added: attachments };
    return (await sessionObject(env, found.session.id).changeUpNext({ type: "edit", ...edit })) ?? noContent;
  },
});

const deleteMessage = endpoint({
  method: "DELETE",
  path: `${path}/{queuedMessageId}`,
  operation: "deleteQueuedMessage",
  summary: "Take a message out of Up next. Its author, or an admin or owner of the workspace.",
  tag,
  access: "up-next.delete",
  noun: "session",
  answers: { status: 204 },
  refusals: ["QUEUED_MESSAGE_GONE"],
  async handle(call) {
    const messageId = call.params.queuedMessageId ?? "";
    const change = { type: "delete" as const, messageId, by: call.caller.actor };
    return (await sessionObject(call.env, call.found.session.id).changeUpNext(change)) ?? noContent;
  },
});

const moveBody = z
  .strictObject({ toIndex: z.int().describe("The place in Up next, from 0; past the end means the end.") })
  .meta({ examples: [{ toIndex: 0 }] });

const moveMessage = endpoint({
  method: "POST",
  path: `${path}/{queuedMessageId}/move`,
  operation: "moveQueuedMessage",
  summary: "Move a waiting message to a place counted from the top. Its author alone.",
  tag,
  access: "up-next.change",
  noun: "session",
  body: { schema: moveBody },
  answers: { status: 204 },
  refusals: ["BAD_REQUEST", "QUEUED_MESSAGE_GONE"],
  async handle(call) {
    const messageId = call.params.queuedMessageId ?? "";
    const change = { type: "move" as const, messageId, by: call.caller.actor, toIndex: call.body.toIndex };
    return (await sessionObject(call.env, call.found.session.id).changeUpNext(change)) ?? noContent;
  },
});

const sendNow = endpoint({
  method: "POST",
  path: `${path}/{queuedMessageId}/send`,
  operation: "sendQueuedMessage",
  summary:
    "Send a waiting message now, ahead of the rest, while nothing runs. Its author alone; resumes a paused Up next.",
  tag,
  access: "up-next.change",
  noun: "session",
  with: ["runningMsThisMonth", "slot"],
  isRepeatable: true,
  answers: { status: 200, data: jobDeliverySchema },
  refusals: [
    "JOB_IN_PROGRESS",
    "QUEUED_MESSAGE_GONE",
    "DEPLOY_ACTIVE",
    "SANDBOX_STARTING",
    "SANDBOX_LIMIT_REACHED",
    "CREDIT_LIMIT_REACHED",
  ],
  async handle(call) {
    const { env, found, params, idempotency } = call;
    const session = sessionObject(env, found.session.id);
    const circumstances = workFacts(found);
    const sent = await session.sendQueued(params.queuedMessageId ?? "", call.caller.actor, circumstances, idempotency);
    return isRefusal(sent) ? sent : ok(deliveryOnWire(sent));
  },
});

const steerMessage = endpoint({
  method: "POST",
  path: `${path}/{queuedMessageId}/steer`,
  operation: "steerQueuedMessage",
  summary: "Steer a waiting message into the running turn. Its author alone, into a turn of their own.",
  tag,
  access: "up-next.change",
  noun: "session",
  isRepeatable: true,
  answers: { status: 200, data: steerDeliverySchema },
  refusals: ["STEER_UNAVAILABLE", "JOB_STOPPED_TEXT_RETURNED", "QUEUED_MESSAGE_GONE"],
  async handle(call) {
    const { env, found, params, idempotency } = call;
    const session = sessionObject(env, found.session.id);
    const steered = await session.steer(params.queuedMessageId ?? "", call.caller.actor, idempotency);
    return isRefusal(steered) ? steered : ok({ delivery: "steer", steerId: steered.steerId });
  },
});

const resumeQueue = endpoint({
  method: "POST",
  path: `${path}/resume`,
  operation: "resumeQueue",
  summary: "Resume a paused Up next; its top message is sent.",
  tag,
  access: "up-next.resume",
  noun: "session",
  with: ["runningMsThisMonth", "slot"],
  isRepeatable: true,
  answers: { status: 204 },
  refusals: ["BAD_REQUEST", "COMMAND_IN_FLIGHT", "DEPLOY_ACTIVE", "SANDBOX_LIMIT_REACHED", "CREDIT_LIMIT_REACHED"],
  async handle({ env, found, idempotency }) {
    const session = sessionObject(env, found.session.id);
    return (await session.resumeUpNext(workFacts(found), idempotency)) ?? noContent;
  },
});

export const upNextRoutes = [readQueue, editMessage, deleteMessage, moveMessage, sendNow, steerMessage, resumeQueue];
