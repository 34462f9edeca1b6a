// Up next of a session: the messages that wait, and resuming it when it pauses.
import { sessionObject } from "../../../durable-objects/address.ts";
import { modelCircumstances } from "../../actions/model-circumstances.ts";
import { noContent, ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { queueOnWire, queueSchema } from "../../resources/queued-message.ts";
import { isRefusal } from "../../rules/refusal.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/queue";
const tag = "Up next";

const readQueue = endpoint({
  method: "GET",
  path,
  summary: "Read Up next, in the order its messages will be sent.",
  tag,
  access: "session.read",
  noun: "session",
  answers: { status: 200, data: queueSchema },
  async handle({ env, found }) {
    const state = await sessionObject(env, found.session.id).read();
    return isRefusal(state) ? state : ok(queueOnWire(state));
  },
});

const resumeQueue = endpoint({
  method: "POST",
  path: `${path}/resume`,
  summary: "Resume a paused Up next; its top message is sent.",
  tag,
  access: "up-next.resume",
  noun: "session",
  answers: { status: 204 },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found }) {
    return (await sessionObject(env, found.session.id).resumeUpNext(modelCircumstances(found.workspace))) ?? noContent;
  },
});

export const upNextRoutes = [readQueue, resumeQueue];
