// Cron runs on the wire: list rows, single reads, diagnostics, and the artifacts of runs.
import * as z from "zod";
import type { DonePayload, RunDiagnostics } from "../../../durable-objects/cron-run/rpc.ts";
import type { RunArtifactRow } from "../../artifact/queries.ts";
import { artifactRowSchema, exampleArtifactRow, toWireArtifactRow } from "../../artifact/wire/artifact.ts";
import {
  exampleIds,
  exampleSandboxKey,
  exampleTimes,
  formatTime,
  formatTimeOrNull,
  timestamp,
  uuid,
} from "../../lib/wire.ts";
import { sessionStatuses } from "../../session/rules/status.ts";
import { toUsd } from "../../usage/rules/usage.ts";
import type { CronRunRow, FiledSession } from "../queries/runs.ts";
import { runStopSources } from "../rules/run-status.ts";
import { cronRunStatusSchema } from "./cron.ts";

const exampleRun = {
  id: exampleIds.run,
  projectId: exampleIds.project,
  projectName: "departures",
  status: "succeeded",
  summary: "Two errors in the log of the web service; one session filed.",
  error: null,
  createdAt: exampleTimes.started,
  startedAt: exampleTimes.running,
  completedAt: exampleTimes.later,
};

export const cronRunRowSchema = z
  .object({
    id: uuid.describe("The run's id."),
    projectId: uuid.describe("The project's id."),
    projectName: z.string().describe("The project's name when it fired."),
    status: cronRunStatusSchema.describe("Its state."),
    summary: z.string().nullable().describe("The Reply's first line, or why the run was skipped."),
    error: z.string().nullable().describe("Why it failed."),
    createdAt: timestamp.describe("When it fired."),
    startedAt: timestamp.nullable().describe("When it was opened; null if its fire refused it."),
    completedAt: timestamp.nullable().describe("When it ended; null while it runs."),
  })
  .meta({ id: "CronRunRow", description: "A run of a cron in one project.", examples: [exampleRun] });

/** A run as the call that fired it returns it. */
export const firedRunSchema = z
  .object({
    projectId: uuid.describe("The project's id."),
    runId: uuid.describe("The run's id."),
    status: z
      .union([cronRunStatusSchema, z.literal("queued")])
      .describe("`queued`: not started. A read of it is a 404."),
  })
  .meta({
    id: "FiredRun",
    description: "A run that was fired now.",
    examples: [{ projectId: exampleIds.project, runId: exampleIds.run, status: "running" }],
  });

const filedSessionSchema = z
  .object({
    sessionId: uuid.describe("The session's id."),
    title: z.string().describe("Its title."),
    status: z.enum(sessionStatuses).describe("Its status."),
    awaitingResponse: z.boolean().describe("True while its agent waits for an answer."),
    sessionPath: z.string().describe("The path of the session."),
    sessionUrl: z.string().describe("The address of the session."),
  })
  .meta({ id: "SessionOfCronRun", description: "A session that a run filed." });

export const cronRunSchema = cronRunRowSchema
  .extend({
    model: z.string().nullable().describe("The model that it ran on."),
    report: z
      .object({ reply: z.string().describe("The Reply.") })
      .nullable()
      .describe("Null until there is a Reply."),
    filedSessions: z.array(filedSessionSchema).describe("The sessions that it filed, the oldest first."),
  })
  .meta({
    id: "CronRun",
    description: "A run of a cron with its Reply.",
    examples: [
      { ...exampleRun, model: "anthropic:opus__high", report: { reply: exampleRun.summary }, filedSessions: [] },
    ],
  });

export function toWireCronRunRow(row: CronRunRow): z.infer<typeof cronRunRowSchema> {
  const { id, projectId, projectName, status, summary, error, createdAt, startedAt, completedAt } = row;
  const times = {
    createdAt: formatTime(createdAt),
    startedAt: formatTimeOrNull(startedAt),
    completedAt: formatTimeOrNull(completedAt),
  };
  return { id, projectId, projectName, status, summary, error, ...times };
}

export function toWireCronRun(
  row: CronRunRow,
  { reply, filed, publicUrl }: { reply: string; filed: readonly FiledSession[]; publicUrl: string },
): z.infer<typeof cronRunSchema> {
  return {
    ...toWireCronRunRow(row),
    model: row.model,
    report: reply === "" ? null : { reply },
    filedSessions: filed.map(({ id: sessionId, projectId, title, status, needsYou }) => {
      const sessionPath = `/api/projects/${projectId}/chat-sessions/${sessionId}`;
      const awaitingResponse = needsYou === "awaiting_response";
      return { sessionId, title, status, awaitingResponse, sessionPath, sessionUrl: `${publicUrl}${sessionPath}` };
    }),
  };
}

const phase = timestamp.nullable();

const donePayloadSchema = z
  .object({
    modelTurns: z.int().describe("The number of model responses."),
    toolCalls: z.int().describe("The number of tools that it called."),
    artifacts: z.int().describe("The number of artifacts that it wrote."),
    filedSessions: z.int().describe("The number of sessions that it filed."),
    inputTokens: z.int().describe("Input that was not read from the provider's cache."),
    cachedTokens: z.int().describe("Input that was read from it."),
    outputTokens: z.int().describe("Output."),
    costUsd: z.number().nullable().describe("What that cost."),
  })
  .meta({ id: "CronRunDone", description: "What the agent of a run did, in numbers." });

function toWireDonePayload({ usage, ...done }: DonePayload): z.infer<typeof donePayloadSchema> {
  const { inputTokens = 0, cachedTokens = 0, outputTokens = 0, nanoUsd = 0 } = usage ?? {};
  return { ...done, inputTokens, cachedTokens, outputTokens, costUsd: nanoUsd === null ? null : toUsd(nanoUsd) };
}

export const diagnosticsSchema = z
  .object({
    status: cronRunStatusSchema.describe("The state of the run."),
    error: z.string().nullable().describe("Why it failed."),
    errorCode: z.string().nullable().describe("Why it failed, for programs."),
    stopSource: z.enum(runStopSources).nullable().describe("What ended it, if not success."),
    stoppedBy: z
      .object({ userId: z.string().describe("The user id."), name: z.string().describe("The name.") })
      .nullable()
      .describe("Who stopped it."),
    sandboxKey: z.string().nullable().describe("The main sandbox that it used."),
    agentVersion: z.string().nullable().describe("The version of its agent."),
    phases: z
      .object({
        queuedAt: timestamp.describe("When it fired."),
        mainWokenAt: phase.describe("When the main sandbox ran."),
        credentialsReadyAt: phase.describe("When its credentials were ready."),
        agentRequestedAt: phase.describe("When the agent was requested."),
        firstEventAt: phase.describe("When the agent's first event came."),
        doneAt: phase.describe("When it ended."),
      })
      .describe("The times of its phases."),
    donePayload: donePayloadSchema.nullable().describe("What the agent did, in numbers."),
    log: z.string().nullable().describe("The newest 256 KiB; null after 30 days."),
  })
  .meta({
    id: "CronRunDiagnostics",
    description: "The outcome of a run.",
    examples: [
      {
        status: "succeeded",
        error: null,
        errorCode: null,
        stopSource: null,
        stoppedBy: null,
        sandboxKey: exampleSandboxKey,
        agentVersion: "switchyard 1.0.0",
        phases: {
          queuedAt: exampleTimes.started,
          mainWokenAt: exampleTimes.started,
          credentialsReadyAt: exampleTimes.started,
          agentRequestedAt: exampleTimes.started,
          firstEventAt: exampleTimes.running,
          doneAt: exampleTimes.later,
        },
        donePayload: {
          ...{ modelTurns: 4, toolCalls: 3, artifacts: 0, filedSessions: 0 },
          ...{ inputTokens: 5_120, cachedTokens: 20_480, outputTokens: 640, costUsd: 0.0421 },
        },
        log: `${exampleTimes.started} queued for departures, on anthropic:opus__high`,
      },
    ],
  });

/** The diagnostics of a run; `known` is null for one that never started. */
export function toWireDiagnostics(row: CronRunRow, known: RunDiagnostics | null): z.infer<typeof diagnosticsSchema> {
  const run = known?.run;
  return {
    status: run?.status ?? row.status,
    error: run ? run.error : row.error,
    errorCode: run ? run.errorCode : row.errorCode,
    stopSource: run ? run.stopSource : row.stopSource,
    stoppedBy: run?.stoppedBy ?? null,
    sandboxKey: run?.mainSandboxKey ?? null,
    agentVersion: run?.agentVersion ?? null,
    phases: {
      queuedAt: formatTime(row.createdAt),
      mainWokenAt: formatTimeOrNull(run?.mainWokenAt ?? null),
      credentialsReadyAt: formatTimeOrNull(run?.credentialsReadyAt ?? null),
      agentRequestedAt: formatTimeOrNull(run?.agentRequestedAt ?? null),
      firstEventAt: formatTimeOrNull(known?.firstEventAt ?? null),
      doneAt: formatTimeOrNull(run?.completedAt ?? row.completedAt),
    },
    donePayload: known?.donePayload ? toWireDonePayload(known.donePayload) : null,
    log: known?.log ?? null,
  };
}

export const runArtifactRowSchema = artifactRowSchema
  .extend({
    runId: uuid.describe("The run that wrote it."),
    projectId: uuid.describe("The project that the run read."),
    projectName: z.string().describe("The project's name when the run fired."),
  })
  .meta({
    id: "CronArtifactRow",
    description: "An artifact of a cron's run, without its content.",
    examples: [
      {
        ...exampleArtifactRow,
        runId: exampleIds.run,
        projectId: exampleIds.project,
        projectName: exampleRun.projectName,
      },
    ],
  });

export function toWireRunArtifactRow(row: RunArtifactRow): z.infer<typeof runArtifactRowSchema> {
  const { runId, projectId, projectName } = row;
  return { ...toWireArtifactRow(row), runId, projectId, projectName };
}
