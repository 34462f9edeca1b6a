// A Deploy on the wire.
import * as z from "zod";
import { exampleIds, exampleTimes } from "../../resources/example-values.ts";
import { time, timeOrNull, timestamp, uuid } from "../../resources/wire-values.ts";
import { type Deploy, deployTriggers } from "../rules/project-state.ts";
import { deployStatuses } from "../rules/status.ts";

export const deployStatusSchema = z.enum(deployStatuses).meta({
  id: "DeployStatus",
  description:
    "How a Deploy stands: it builds a sandbox, its agent works or waits for an answer, the sandbox is made live, or the newest run is over.",
});

export const deploySchema = z
  .object({
    id: uuid.describe("The Deploy's id, its `deployJobId`."),
    trigger: z.enum(deployTriggers).describe("`user`: a member started it. `system`: the service did, to recover."),
    status: deployStatusSchema,
    error: z.string().nullable().describe("Why its newest run failed, or why the service ended it; else null."),
    createdAt: timestamp.describe("When it was started."),
    startedAt: timestamp.nullable().describe("When its newest run began."),
    completedAt: timestamp.nullable().describe("When its newest run ended; null while it works or waits."),
  })
  .meta({
    id: "Deploy",
    description: "A Deploy of a project's main sandbox, with its newest run.",
    examples: [
      {
        id: exampleIds.job,
        trigger: "user",
        status: "deployed",
        error: null,
        createdAt: exampleTimes.begun,
        startedAt: exampleTimes.begun,
        completedAt: exampleTimes.later,
      },
    ],
  });

type Shown = Pick<Deploy, "id" | "trigger" | "status" | "error" | "createdAt" | "startedAt" | "completedAt">;

export function deployOnWire({ id, trigger, status, error, ...times }: Shown): z.infer<typeof deploySchema> {
  const { createdAt, startedAt, completedAt } = times;
  return {
    ...{ id, trigger, status, error },
    createdAt: time(createdAt),
    startedAt: time(startedAt),
    completedAt: timeOrNull(completedAt),
  };
}
