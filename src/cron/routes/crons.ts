// The routes of crons: create, list, read, change, resume a project, run now, delete; and the
// artifacts of all runs.

import * as z from "zod";
import { getCronObject } from "../../../durable-objects/address.ts";
import { listCronArtifacts } from "../../artifact/queries.ts";
import { artifactKindSchema } from "../../artifact/wire/artifact.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag } from "../../http/query.ts";
import { created, noContent, ok } from "../../http/response.ts";
import { pageQuery, sizeUpTo } from "../../lib/pagination.ts";
import { exampleIds, exampleTimes, formatTime, listParameter, timestamp, uuid } from "../../lib/wire.ts";
import { cronPreviewFiresMax } from "../../rules/limits.ts";
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import { createCron, updateCron } from "../create.ts";
import { findCron, listCrons } from "../queries/crons.ts";
import { noCron } from "../rules/cron.ts";
import { findNextFires } from "../rules/fire-preview.ts";
import type { FiredRun } from "../rules/run-status.ts";
import { changeCronBody, createCronBody, cronSchema, toWireCron } from "../wire/cron.ts";
import { firedRunSchema, runArtifactRowSchema, toWireRunArtifactRow } from "../wire/run.ts";

const cronsPath = "/api/organizations/{workspaceId}/crons";
export const cronPath = `${cronsPath}/{cronId}`;
const tag = "Crons";

const list = endpoint({
  method: "GET",
  path: cronsPath,
  operation: "listCrons",
  summary: "List the workspace's crons, newest first.",
  tag,
  access: "cron.read",
  noun: "workspace",
  with: ["workspaceRecord"],
  query: pageQuery.extend({
    projectId: uuid.optional().describe("Only those that include the project."),
    mine: flag().describe("With `true`, only your own."),
    search: z.string().default("").describe("A part of the name or the prompt, in any case."),
  }),
  response: {
    status: 200,
    data: z.object({
      crons: z.array(cronSchema).describe("The page."),
      total: z.int().describe("The number of crons that match the filters."),
    }),
  },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, caller, found, query: { page, pageSize, projectId, mine, search } }) {
    const { crons, total } = await listCrons(env.DB, {
      workspaceId: found.workspace.id,
      projectId: projectId ?? null,
      createdBy: mine ? (caller.user?.id ?? "") : null,
      ...{ search, page, pageSize },
    });
    return ok({ crons: crons.map((row) => toWireCron(row, found.workspaceRecord.timezone, now)), total });
  },
});

const create = endpoint({
  method: "POST",
  path: cronsPath,
  operation: "createCron",
  summary:
    "Create a cron. Every member may, over any of the workspace's projects. Runs of one that an agent or a run creates may do only what an agent may, and create no crons.",
  tag,
  access: "cron.create",
  noun: "workspace",
  with: ["workspaceRecord", "cronFacts"],
  body: { schema: createCronBody },
  isRepeatable: true,
  response: { status: 201, data: cronSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, caller, found, body, idempotency }) {
    const row = await createCron(env, { caller, found, body, repeat: idempotency, now });
    return isRefusal(row) ? row : created(toWireCron(row, found.workspaceRecord.timezone, now));
  },
});

const read = endpoint({
  method: "GET",
  path: cronPath,
  operation: "readCron",
  summary: "Read a cron.",
  tag,
  access: "cron.read",
  noun: "cron",
  with: ["cronRecord", "workspaceRecord"],
  response: { status: 200, data: cronSchema },
  async handle({ now, found: { cronRecord, workspaceRecord } }) {
    return ok(toWireCron(cronRecord, workspaceRecord.timezone, now));
  },
});

const change = endpoint({
  method: "PATCH",
  path: cronPath,
  operation: "changeCron",
  summary:
    "Change, pause or resume a cron. Any change starts every project over. Its creator, an owner or an admin. Where somebody else than the creator sent the prompt, the projects or the model last, runs use nothing of the creator's account and have the lesser role, until the creator sends them.",
  tag,
  access: "cron.change",
  noun: "cron",
  with: ["workspaceRecord", "cronFacts"],
  body: { schema: changeCronBody },
  response: { status: 200, data: cronSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, caller, found, body }) {
    const { id: cronId } = found.cron;
    const refusal = await updateCron(env, { cronId, found, body, by: caller.actor });
    if (refusal) return refusal;
    const row = await findCron(env.DB, cronId);
    return row ? ok(toWireCron(row, found.workspaceRecord.timezone, now)) : noCron;
  },
});

const remove = endpoint({
  method: "DELETE",
  path: cronPath,
  operation: "deleteCron",
  summary:
    "Delete a cron with its runs, transcripts and artifacts. A running run is stopped first; sessions that runs filed stay.",
  tag,
  access: "cron.delete",
  noun: "cron",
  response: { status: 204 },
  refusals: ["CRON_RUN_STARTING"],
  async handle({ env, caller, found }) {
    const refusal = await getCronObject(env, found.cron.id).delete(caller.actor);
    return refusal ?? noContent;
  },
});

const resumeProject = endpoint({
  method: "POST",
  path: `${cronPath}/projects/{projectId}/resume`,
  operation: "resumeCronProject",
  summary: "Resume a project that is paused inside a cron. Its creator, an owner or an admin.",
  tag,
  access: "cron.change",
  noun: "cron",
  with: ["workspaceRecord"],
  response: { status: 200, data: cronSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, caller, found, params }) {
    const { timezone: zone } = found.workspaceRecord;
    const request = { projectId: params.projectId, zone, by: caller.actor };
    const refusal = await getCronObject(env, found.cron.id).resumeProject(request);
    if (refusal) return refusal;
    const row = await findCron(env.DB, found.cron.id);
    return row ? ok(toWireCron(row, zone, now)) : noCron;
  },
});

const firedRunsSchema = z.object({
  runs: z.array(firedRunSchema).describe("One run a project."),
});

const runNow = endpoint({
  method: "POST",
  path: `${cronPath}/run`,
  operation: "runCron",
  summary:
    "Fire a cron now. Without a body, every project that is not paused runs; a paused one that is named runs once and stays paused. A run that an agent asks for may do only what an agent may.",
  tag,
  access: "cron.change",
  noun: "cron",
  body: {
    schema: z
      .strictObject({ projectIds: z.array(uuid).min(1).optional().describe("The projects to run in.") })
      .nullish()
      .meta({ examples: [{ projectIds: [exampleIds.project] }] }),
  },
  isRepeatable: true,
  response: { status: 200, data: firedRunsSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, caller, found, body, idempotency }) {
    const request = { projectIds: body?.projectIds ?? null, by: caller.actor };
    const runs = (await getCronObject(env, found.cron.id).runNow(request, idempotency)) as FiredRun[] | Refusal;
    return isRefusal(runs) ? runs : ok({ runs });
  },
});

const artifacts = endpoint({
  method: "GET",
  path: `${cronPath}/artifacts`,
  operation: "listCronArtifacts",
  summary: "List the artifacts of all runs of a cron, the most recently changed first.",
  tag,
  access: "cron.read",
  noun: "cron",
  query: pageQuery.extend({
    projectId: listParameter(uuid, "Ids of projects"),
    kind: listParameter(artifactKindSchema, "Kinds"),
  }),
  response: {
    status: 200,
    data: z.object({
      artifacts: z.array(runArtifactRowSchema).describe("The page."),
      total: z.int().describe("The number of artifacts that match the filters."),
    }),
  },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found, query: { projectId: projectIds, kind: kinds, page, pageSize } }) {
    const asked = { cronId: found.cron.id, projectIds, kinds, page, pageSize };
    const { artifacts, total } = await listCronArtifacts(env.DB, asked);
    return ok({ artifacts: artifacts.map(toWireRunArtifactRow), total });
  },
});

const previewCron = endpoint({
  method: "GET",
  path: "/api/organizations/{workspaceId}/cron-preview",
  operation: "previewCron",
  summary: "Compute when a schedule would fire. Nothing is saved.",
  tag,
  access: "cron.read",
  noun: "workspace",
  with: ["workspaceRecord"],
  query: z.strictObject({
    expression: z.string().describe("The schedule: a cron expression of five fields."),
    count: sizeUpTo(cronPreviewFiresMax).default(5).describe("The number of fires."),
  }),
  response: {
    status: 200,
    data: z
      .object({
        fires: z.array(timestamp).describe("The next fires."),
        problem: z.string().nullable().describe("Why a cron with this schedule is refused."),
      })
      .meta({ examples: [{ fires: [exampleTimes.later], problem: null }] }),
  },
  async handle({ now, found, query: { expression, count } }) {
    const { fires, problem } = findNextFires({ expression, zone: found.workspaceRecord.timezone, count, now });
    return ok({ fires: fires.map(formatTime), problem });
  },
});

export const cronRoutes = [previewCron, list, create, read, change, remove, resumeProject, runNow, artifacts];
