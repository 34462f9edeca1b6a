// A turn on the wire, where it is called a job.
import * as z from "zod";
import { type Turn, turnStatuses } from "../rules/chat/turn.ts";
import { time, timeOrNull, timestamp, uuid } from "./wire-values.ts";

export const jobSchema = z
  .object({
    id: uuid,
    status: z.enum(turnStatuses),
    jobNumber: z.int(),
    error: z.string().nullable(),
    errorCode: z.string().nullable(),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
  })
  .meta({ description: "One turn of the agent." });

export function jobOnWire(turn: Turn): z.infer<typeof jobSchema> {
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
