// A turn on the wire, where it is called a job.
import * as z from "zod";
import type { TurnView } from "../rules/chat/live-event.ts";
import { turnStatuses } from "../rules/chat/turn.ts";
import { exampleIds, exampleTimes } from "./example-values.ts";
import { time, timeOrNull, timestamp, uuid } from "./wire-values.ts";

export const jobStatusSchema = z.enum(turnStatuses).meta({
  id: "JobStatus",
  description: "`completed`, `failed` and `cancelled` are final; `awaiting_response` is answered by the next message.",
});

export const jobSchema = z
  .object({
    id: uuid.describe("The job's id; it is the id of its event stream too."),
    status: jobStatusSchema.describe("How the turn stands."),
    jobNumber: z.int().describe("The number of the job within its session, from 1."),
    error: z.string().nullable().describe("Why the turn failed, for people; null for one that did not."),
    errorCode: z
      .string()
      .nullable()
      .describe("Why the turn failed, for programs, such as `context_window_exceeded`; null where there is no code."),
    createdAt: timestamp.describe("When the message was taken."),
    startedAt: timestamp.nullable().describe("When the agent began; null while the job is pending."),
    completedAt: timestamp.nullable().describe("When the turn ended; null until then."),
  })
  .meta({
    id: "Job",
    description: "One turn of the agent.",
    examples: [
      {
        id: exampleIds.job,
        status: "running",
        jobNumber: 1,
        error: null,
        errorCode: null,
        createdAt: exampleTimes.begun,
        startedAt: exampleTimes.running,
        completedAt: null,
      },
    ],
  });

export function jobOnWire(turn: TurnView): z.infer<typeof jobSchema> {
  const { id, status, number, error, errorCode } = turn;
  return {
    id,
    status,
    jobNumber: number,
    error,
    errorCode,
    createdAt: time(turn.createdAt),
    startedAt: timeOrNull(turn.startedAt),
    completedAt: timeOrNull(turn.completedAt),
  };
}
