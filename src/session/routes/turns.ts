// The turns of a session: send a message, list and read jobs, stop a turn, and read the
// conversation.
import * as z from "zod";
import { getSessionObject } from "../../../durable-objects/address.ts";
import { toActorFor } from "../../access/rules/caller.ts";
import { jobSchema, toWireJob } from "../../chat/wire/job.ts";
import { messageSchema } from "../../chat/wire/message.ts";
import { messagePageFields, messagePageQuery, toMessagePageRequest } from "../../chat/wire/message-page.ts";
import { sentSchema, toWireDelivery } from "../../chat/wire/queue.ts";
import { endpoint } from "../../http/endpoint.ts";
import { created, fromJson, ok, paged, streamed, toDownload, toTextDownload } from "../../http/response.ts";
import { pageQuery } from "../../lib/pagination.ts";
import { isRefusal, type RefusalCode, refuse } from "../../rules/refusal.ts";
import { explainUnknownSkill } from "../../skill/rules/skill-call.ts";
import { findAttachment } from "../../storage/attachments.ts";
import { findOutput, isBlockPlace, type OutputId } from "../../storage/outputs.ts";
import { getWorkFacts, workDetails } from "../facts.ts";
import { isJobElsewhere } from "../queries/index.ts";
import { sendBody, toMessage } from "./send-body.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}";
const tag = "Turns";

const sendRefusals: RefusalCode[] = [
  ...(["BAD_REQUEST", "SESSION_UNDER_REVIEW", "CREDIT_LIMIT_REACHED"] as const),
  ...(["JOB_IN_PROGRESS", "QUEUE_FULL", "JOB_STOPPED", "COMMAND_IN_FLIGHT"] as const),
  ...(["SESSION_UPDATING", "SESSION_STATUS_CHANGED", "SESSION_CHANGED"] as const),
  ...(["SANDBOX_LIMIT_REACHED", "SANDBOX_STARTING", "DEPLOY_ACTIVE", "IDEMPOTENCY_KEY_REUSED"] as const),
];

const sendMessage = endpoint({
  method: "POST",
  path: `${path}/jobs/chat`,
  operation: "sendMessage",
  summary: "Send a message. It starts a turn, or waits Up next while one runs.",
  tag,
  access: "session.send",
  noun: "session",
  with: workDetails,
  body: sendBody,
  isRepeatable: true,
  response: { status: 201, data: sentSchema },
  refusals: sendRefusals,
  version: (env, found) => getSessionObject(env, found.session.id).version(),
  async handle({ env, caller, found, body, attachments, dropAttachments, seen, idempotency }) {
    const by = toActorFor(caller, body.sender);
    if (isRefusal(by)) return by;
    const order = {
      body: toMessage(body, attachments),
      by,
      answers: body.answers,
      model: body.model ?? null,
      runningTurnId: body.runningJobId ?? null,
      retriedTurnId: body.retryFailedJobId ?? null,
      seen,
      steers: body.steer,
    };
    const session = getSessionObject(env, found.session.id);
    const sent = await session.send(order, getWorkFacts(found, by), idempotency);
    if (isRefusal(sent)) return sent;
    if (sent.isRepeat) await dropAttachments();
    const notice = explainUnknownSkill(body.content);
    const delivery =
      sent.steerId === null ? toWireDelivery(sent.delivery) : { delivery: "steer" as const, steerId: sent.steerId };
    return created({ ...delivery, ...(notice !== null && { notice }) });
  },
});

const listJobs = endpoint({
  method: "GET",
  path: `${path}/jobs/chat`,
  operation: "listJobs",
  summary: "List the session's jobs, newest first.",
  tag,
  access: "session.read",
  noun: "session",
  query: pageQuery,
  response: { status: 200, data: z.array(jobSchema), isPaged: true },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found, query }) {
    const { turns, total } = await getSessionObject(env, found.session.id).turns(query.page, query.pageSize);
    return paged(turns.map(toWireJob), { ...query, total });
  },
});

const readJob = endpoint({
  method: "GET",
  path: `${path}/jobs/chat/{jobId}`,
  operation: "readJob",
  summary: "Read one job. Poll it until its status is final.",
  tag,
  access: "session.read",
  noun: "session",
  response: { status: 200, data: z.object({ job: jobSchema }) },
  async handle({ env, found, params }) {
    const turn = await getSessionObject(env, found.session.id).turn(params.jobId);
    return turn ? ok({ job: toWireJob(turn) }) : await noSuchJob(env.DB, found.session.id, params.jobId);
  },
});

const cancelAnswer = z
  .object({
    cancelled: z.literal(1),
    message: z.string().describe("Says whether the turn has ended, for people."),
  })
  .meta({ examples: [{ cancelled: 1, message: "The turn was stopped." }] });

const cancelJob = endpoint({
  method: "POST",
  path: `${path}/jobs/chat/{jobId}/cancel`,
  operation: "cancelJob",
  summary: "Stop a pending or running job. Up next pauses.",
  tag,
  access: "turn.stop",
  noun: "session",
  response: { status: 200, data: cancelAnswer },
  refusals: ["BAD_REQUEST"],
  async handle({ env, caller, found, params }) {
    const session = getSessionObject(env, found.session.id);
    const jobId = params.jobId;
    if ((await session.turn(jobId)) === null) return await noSuchJob(env.DB, found.session.id, jobId);
    const stopped = await session.cancel(jobId, caller.actor);
    if (isRefusal(stopped)) return stopped;
    const message = stopped.settled ? "The turn was stopped." : "The turn is being stopped.";
    return ok({ cancelled: 1, message });
  },
});

const readMessages = endpoint({
  method: "GET",
  path: `${path}/messages`,
  operation: "readMessages",
  summary: "Read the conversation, oldest first, or a page of it.",
  tag,
  access: "session.read",
  noun: "session",
  query: messagePageQuery,
  response: {
    status: 200,
    data: z.object({
      messages: z.array(messageSchema).describe("The conversation, oldest first."),
      ...messagePageFields,
    }),
  },
  async handle({ env, found, query }) {
    const page = toMessagePageRequest(query);
    if (page) return fromJson(await getSessionObject(env, found.session.id).messagePage(page));
    return streamed("messages", await getSessionObject(env, found.session.id).messages());
  },
});

/**
 * Returns 403 for a job of another session and 404 for an unknown one (Part 1, "Turns and
 * messages"). If the index still has the job for this session, the session is being deleted: 404
 * too.
 */
async function noSuchJob(database: D1Database, sessionId: string, jobId: string) {
  if (await isJobElsewhere(database, jobId, { type: "session", id: sessionId }))
    return refuse("FORBIDDEN", "This job belongs to another session. Use the path of that session.");
  return refuse("NOT_FOUND", "There is no such job.");
}

export const turnRoutes = [sendMessage, listJobs, readJob, cancelJob, readMessages];

const fileBytes = z.string().meta({ description: "The bytes of the file.", format: "binary", examples: ["%PDF-1.7"] });

const readAttachment = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}/attachments/{attachmentId}",
  operation: "downloadAttachment",
  summary: "Download a file of a message.",
  tag: "Turns",
  access: "session.read",
  noun: "session",
  response: { status: 200, mediaType: "*/*", data: fileBytes },
  async handle({ env, found, params }) {
    const file = await findAttachment(env.STORE, { type: "session", id: found.session.id }, params.attachmentId);
    if (!file) return refuse("NOT_FOUND", "There is no such attachment in this session.");
    return toDownload(file);
  },
});

export const attachmentRoutes = [readAttachment];

const outputText = z.string().meta({ description: "The output.", examples: ["12 tests passed\n"] });

const readOutput = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat/{jobId}/outputs/{place}",
  operation: "readToolOutput",
  summary: "Read the whole output of a tool.",
  tag: "Turns",
  access: "session.read",
  noun: "session",
  response: { status: 200, mediaType: "text/plain", data: outputText },
  async handle({ env, found, params }) {
    const { jobId: turnId, place } = params;
    const id: OutputId = { owner: { type: "session", id: found.session.id }, turnId, place };
    const output = isBlockPlace(place) ? await findOutput(env.STORE, id) : null;
    // A short output is only in its block.
    const short =
      output || !isBlockPlace(place)
        ? null
        : await getSessionObject(env, id.owner.id).toolOutput(turnId, Number(place));
    if (!output && short === null) return refuse("NOT_FOUND", "There is no tool output there.");
    return toTextDownload(output?.body ?? new Blob([short ?? ""]).stream());
  },
});

export const outputRoutes = [readOutput];
