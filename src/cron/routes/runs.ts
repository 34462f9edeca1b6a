// The routes of a cron's runs: list, read, stop; their artifacts, diagnostics, transcript and live
// events.
import * as z from "zod";
import { getCronRunObject } from "../../../durable-objects/address.ts";
import type { RunDiagnostics, RunReport } from "../../../durable-objects/cron-run/rpc.ts";
import { listArtifacts } from "../../artifact/queries.ts";
import { createView, readArtifact } from "../../artifact/read.ts";
import { artifactSchema, toWireArtifact } from "../../artifact/wire/artifact.ts";
import { liveEventSchema, turnEventsSchema } from "../../chat/wire/live-event.ts";
import { messageSchema } from "../../chat/wire/message.ts";
import { messagePageFields, messagePageQuery, toMessagePageRequest } from "../../chat/wire/message-page.ts";
import type { Env } from "../../env.ts";
import { endpoint } from "../../http/endpoint.ts";
import { chatEventsQuery } from "../../http/event-stream.ts";
import { createOwnerStream } from "../../http/owner-stream.ts";
import { eventStreamType, fromJson, ok, streamed } from "../../http/response.ts";
import { pageQuery } from "../../lib/pagination.ts";
import { listParameter, uuid } from "../../lib/wire.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { type CronRunRow, findRun, listFiledSessions, listRuns } from "../queries/runs.ts";
import type { RunStop } from "../rules/run-status.ts";
import { cronRunStatusSchema } from "../wire/cron.ts";
import {
  cronRunRowSchema,
  cronRunSchema,
  diagnosticsSchema,
  runArtifactRowSchema,
  toWireCronRun,
  toWireCronRunRow,
  toWireDiagnostics,
  toWireRunArtifactRow,
} from "../wire/run.ts";
import { cronPath } from "./crons.ts";

const runsPath = `${cronPath}/runs`;
const runPath = `${runsPath}/{runId}`;
const tag = "Crons";

const list = endpoint({
  method: "GET",
  path: runsPath,
  operation: "listCronRuns",
  summary: "List the runs of a cron, newest first. `total` and `failed` count the runs that match the filters.",
  tag,
  access: "cron.read",
  noun: "cron",
  query: pageQuery.extend({
    projectId: listParameter(uuid, "Ids of projects"),
    status: listParameter(cronRunStatusSchema, "Statuses"),
  }),
  response: {
    status: 200,
    data: z.object({
      runs: z.array(cronRunRowSchema).describe("The page."),
      total: z.int().describe("The number of runs that match the filters."),
      failed: z.int().describe("The number of failed ones."),
    }),
  },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found, query: { projectId: projectIds, status: statuses, page, pageSize } }) {
    const asked = { cronId: found.cron.id, projectIds, statuses, page, pageSize };
    const { runs, total, failed } = await listRuns(env.DB, asked);
    return ok({ runs: runs.map(toWireCronRunRow), total, failed });
  },
});

const read = endpoint({
  method: "GET",
  path: runPath,
  operation: "readCronRun",
  summary: "Read a run with its Reply and filed sessions.",
  tag,
  access: "cron.read",
  noun: "cronRun",
  response: { status: 200, data: cronRunSchema },
  handle: async ({ env, found }) => ok(await toWireRun(env, found.cronRun)),
});

async function toWireRun(env: Env, row: CronRunRow) {
  const [report, filed] = await Promise.all([findReport(env, row), listFiledSessions(env.DB, row.id)]);
  return toWireCronRun(row, { reply: report?.reply ?? "", filed, publicUrl: env.PUBLIC_URL });
}

async function findReport(env: Env, { id, isOpened }: CronRunRow): Promise<RunReport | null> {
  return isOpened ? ((await getCronRunObject(env, id).read()) as RunReport | null) : null;
}

const cancel = endpoint({
  method: "POST",
  path: `${runPath}/cancel`,
  operation: "cancelCronRun",
  summary: "Stop a run that is running. What it stored and filed stays. The cron's creator, an owner or an admin.",
  tag,
  access: "cron.change",
  noun: "cronRun",
  response: { status: 200, data: cronRunSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, caller, found }) {
    const row = found.cronRun;
    if (!row.isOpened) return refuse("BAD_REQUEST", "This run has already ended, so there is nothing to stop.");
    const by = caller.user && { userId: caller.user.id, name: caller.user.name };
    const stop: RunStop = { status: "cancelled", error: null, errorCode: null, source: "member_stop", by };
    const refusal = await getCronRunObject(env, row.id).stop(stop);
    if (refusal) return refusal;
    // The row may be written a moment after the run has ended.
    const report = await findReport(env, row);
    const stored = (await findRun(env.DB, row.id)) ?? row;
    const { status = stored.status, completedAt = stored.completedAt } = report?.run ?? {};
    return ok(await toWireRun(env, { ...stored, status, completedAt }));
  },
});

const diagnostics = endpoint({
  method: "GET",
  path: `${runPath}/diagnostics`,
  operation: "readCronRunDiagnostics",
  summary: "Read the phases and the log of a run. The cron's creator, an owner or an admin.",
  tag,
  access: "cron.diagnostics",
  noun: "cronRun",
  response: { status: 200, data: diagnosticsSchema },
  async handle({ env, found: { cronRun: row } }) {
    const known = row.isOpened ? ((await getCronRunObject(env, row.id).diagnostics()) as RunDiagnostics | null) : null;
    return ok(toWireDiagnostics(row, known));
  },
});

const messages = endpoint({
  method: "GET",
  path: `${runPath}/messages`,
  operation: "readCronRunMessages",
  summary: "Read the transcript of a run. One that never started has no messages, and no `lastEventId`.",
  tag,
  access: "cron.read",
  noun: "cronRun",
  response: {
    status: 200,
    data: z.object({
      status: cronRunStatusSchema.describe("The state of the run."),
      messages: z.array(messageSchema).describe("The transcript."),
      ...messagePageFields,
    }),
  },
  query: messagePageQuery,
  async handle({ env, found: { cronRun: row }, query }) {
    const page = toMessagePageRequest(query);
    if (!row.isOpened) return ok({ status: row.status, messages: [], ...(page && { hasMore: false, before: null }) });
    if (page) return fromJson(await getCronRunObject(env, row.id).messagePage(page), { status: row.status });
    return streamed("messages", await getCronRunObject(env, row.id).messages(), { status: row.status });
  },
});

const follow = endpoint({
  method: "GET",
  path: `${runPath}/events`,
  operation: "followCronRun",
  summary: "Follow a run from its first event to its end.",
  tag,
  access: "cron.read",
  noun: "cronRun",
  query: chatEventsQuery,
  response: { status: 200, data: liveEventSchema, events: turnEventsSchema, mediaType: eventStreamType },
  emptyResponse: "The client has seen the end, and need not come back; or the run never started.",
  handle: (call) => createOwnerStream(call, { type: "cron-run", id: call.found.cronRun.id }, call.found.cronRun.id),
});

const artifacts = endpoint({
  method: "GET",
  path: `${runPath}/artifacts`,
  operation: "listCronRunArtifacts",
  summary: "List the artifacts of a run, the most recently changed first.",
  tag,
  access: "cron.read",
  noun: "cronRun",
  response: {
    status: 200,
    data: z.object({ artifacts: z.array(runArtifactRowSchema).describe("The artifacts.") }),
  },
  async handle({ env, found: { cronRun } }) {
    const { id: runId, projectId, projectName } = cronRun;
    const rows = await listArtifacts(env.DB, runId);
    return ok({ artifacts: rows.map((row) => toWireRunArtifactRow({ ...row, runId, projectId, projectName })) });
  },
});

const artifact = endpoint({
  method: "GET",
  path: `${runPath}/artifacts/{artifactId}`,
  operation: "readCronRunArtifact",
  summary: "Read an artifact of a run with its content.",
  tag,
  access: "cron.read",
  noun: "cronRun",
  response: { status: 200, data: artifactSchema },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, now, found, params }) {
    const read = await readArtifact(env, found.cronRun.id, params.artifactId);
    return isRefusal(read) ? read : ok(toWireArtifact(read, await createView(env, read, now)));
  },
});

export const cronRunRoutes = [list, read, cancel, diagnostics, messages, follow, artifacts, artifact];
