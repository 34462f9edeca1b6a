// The status of services as a sandbox program tells it. A sandbox runs untrusted code, so only what has the right form is taken over.
import * as z from "zod";
import type { ServiceStatus } from "../../preview/rules/preview.ts";

const logEndCharacters = 8_192;
const howCharacters = 300;
const count = z.number().min(0);

const runSchema = z.object({
  ageMs: count.nullable(),
  isDone: z.boolean(),
  restarts: count,
  lastExit: z
    .object({ code: z.int().nullable(), how: z.string().transform((how) => how.slice(0, howCharacters)) })
    .nullable(),
  logEnd: z.string().transform((log) => log.slice(-logEndCharacters)),
});

const statusesSchema: z.ZodType<ServiceStatus[]> = z.array(
  z.object({
    name: z.string(),
    answers: z.boolean().nullable(),
    answeringPorts: z.array(z.number()),
    run: runSchema.nullish(),
  }),
);

/** Null if they have another form. */
export function readServiceStatuses(told: unknown): ServiceStatus[] | null {
  const read = statusesSchema.safeParse(told);
  return read.success ? read.data : null;
}
