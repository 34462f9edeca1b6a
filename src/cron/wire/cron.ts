// Crons on the wire.
import * as z from "zod";
import {
  exampleIds,
  exampleTimes,
  formatTime,
  formatTimeOrNull,
  timestamp,
  uuid,
  wellFormedText,
} from "../../lib/wire.ts";
import { cronNameCharactersMax, cronPromptCharactersMax, listedPromptCharacters } from "../../rules/limits.ts";
import type { CronRow } from "../queries/crons.ts";
import { getSchedule } from "../rules/cron.ts";
import { getNextFire } from "../rules/next-fire.ts";
import { toShownCron } from "../rules/project-pause.ts";
import { cronRunStatuses } from "../rules/run-status.ts";

export const cronRunStatusSchema = z.enum(cronRunStatuses).meta({
  id: "CronRunStatus",
  description:
    "Every status but `running` is final. `skipped`: an earlier run was still running, or the slot was missed.",
});

const lastRunStatus = cronRunStatusSchema.nullable();

const cronProjectSchema = z
  .object({
    id: uuid.describe("The project's id."),
    name: z.string().describe("The project's name."),
    baseBranch: z.string().describe("The branch of its main sandbox."),
    pausedAt: timestamp.nullable().describe("When it was paused inside the cron; null while it is not."),
    pausedReason: z.string().nullable().describe("The error of the run that paused it."),
    lastRunStatus: lastRunStatus.describe("The state of the latest run that was not skipped."),
  })
  .meta({ id: "CronProject", description: "A project of a cron." });

const exampleCron = {
  id: exampleIds.cron,
  projects: [
    {
      id: exampleIds.project,
      name: "departures",
      baseBranch: "main",
      pausedAt: null,
      pausedReason: null,
      lastRunStatus: "succeeded",
    },
  ],
  pausedProjectCount: 0,
  createdBy: exampleIds.user,
  createdByName: "Mia Member",
  name: "Nightly look at the logs",
  prompt: "Read the services' logs and file what looks broken.",
  isPromptCut: false,
  cronExpression: "0 3 * * 1-5",
  timezone: "Europe/Berlin",
  model: null,
  enabled: true,
  disabledReason: null,
  lastRunAt: exampleTimes.started,
  nextRunAt: exampleTimes.later,
  lastRunStatus: "succeeded",
  createdAt: exampleTimes.started,
  updatedAt: exampleTimes.started,
};

export const cronSchema = z
  .object({
    id: uuid.describe("The cron's id."),
    projects: z.array(cronProjectSchema).describe("Its projects, in the order of their names."),
    pausedProjectCount: z.int().describe("The number of paused ones."),
    createdBy: z.string().describe("The user id of its creator."),
    createdByName: z.string().describe("The name of its creator."),
    name: z.string().describe("Its name."),
    prompt: z.string().describe("The message of every run."),
    isPromptCut: z
      .boolean()
      .describe(
        `True where \`prompt\` is the first ${listedPromptCharacters} characters of a longer one, in lists. The read of one cron has it whole.`,
      ),
    cronExpression: z.string().describe("Minute, hour, day of month, month, day of week."),
    timezone: z.string().describe("The Workspace Timezone."),
    model: z.string().nullable().describe("The model of its runs; null for the workspace's default."),
    enabled: z.boolean().describe("Whether it fires."),
    disabledReason: z.string().nullable().describe("Why it disabled itself; null if a member did."),
    lastRunAt: timestamp.nullable().describe("When it last fired."),
    nextRunAt: timestamp
      .nullable()
      .describe("Its next slot; null while it is disabled. It fires up to a minute later."),
    lastRunStatus: lastRunStatus.describe("`failed` if the latest run in any project failed."),
    createdAt: timestamp.describe("When it was created."),
    updatedAt: timestamp.describe("When a member last changed it."),
  })
  .meta({ id: "Cron", description: "A prompt that runs on a schedule.", examples: [exampleCron] });

/** A cron as the API returns it. `zone` is the current Workspace Timezone. */
export function toWireCron(row: CronRow, zone: string, now: number): z.infer<typeof cronSchema> {
  const { projects, lastRunAt, createdByName, createdAt, updatedAt, ...cron } = toShownCron(row);
  return {
    ...cron,
    projects: projects.map((project) => ({ ...project, pausedAt: formatTimeOrNull(project.pausedAt) })),
    pausedProjectCount: projects.filter(({ pausedAt }) => pausedAt !== null).length,
    createdByName: createdByName ?? "",
    timezone: zone,
    lastRunAt: formatTimeOrNull(lastRunAt),
    nextRunAt: cron.enabled ? formatTime(getNextFire(getSchedule(cron), zone, now)) : null,
    createdAt: formatTime(createdAt),
    updatedAt: formatTime(updatedAt),
  };
}

const fields = {
  name: z.string().trim().min(1).max(cronNameCharactersMax).describe("Its name."),
  projectIds: z.array(uuid).min(1).max(1_000).describe("The projects that it is sent to."),
  prompt: wellFormedText(cronPromptCharactersMax)
    .refine((text) => /\S/.test(text), "must not be empty")
    .describe("The message of every run."),
  cronExpression: z
    .string()
    .refine((text) => /\S/.test(text), "must not be empty")
    .describe("Five fields, in the Workspace Timezone. Fires are at least 15 minutes apart."),
  model: z.string().nullable().optional().describe("A model id; null for the default."),
  timezone: z.unknown().optional().describe("Refused. Crons follow the Workspace Timezone."),
};

export const createCronBody = z.strictObject(fields).meta({
  examples: [
    {
      name: exampleCron.name,
      projectIds: [exampleIds.project],
      prompt: exampleCron.prompt,
      cronExpression: exampleCron.cronExpression,
    },
  ],
});

export const changeCronBody = z
  .strictObject({ ...fields, enabled: z.boolean().describe("False pauses the cron, true resumes it.") })
  .partial()
  .meta({ examples: [{ enabled: false }] });
