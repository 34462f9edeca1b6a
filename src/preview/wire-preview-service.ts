// The services of a preview and their logs on the wire.
import * as z from "zod";
import { timeOrNull, timestamp } from "../resources/wire-values.ts";
import { type ServiceReport, serviceStates } from "./rules/service-state.ts";

export const serviceHttpResult = z
  .enum(["healthy", "not_healthy"])
  .nullable()
  .describe("Whether it answers; null where it is not asked.");

const serviceSchema = z
  .object({
    name: z.string().describe("The service's name."),
    state: z
      .enum(serviceStates)
      .describe(
        "`waiting` for those before it; `not_answering`: its process runs and had time enough; `crashed`: it ended, and is started again and again; `done`: it ended well and has no endpoint; `stopped`: the sandbox does not run.",
      ),
    startedAt: timestamp.nullable().describe("When its process began; null while none runs."),
    lastExitCode: z.int().nullable().describe("How its process ended last; null before that, and after a signal."),
    lastExit: z.string().nullable().describe("The same in words, such as `exited 127`."),
    restarts: z.int().describe("How often it was started again."),
    httpResult: serviceHttpResult,
  })
  .meta({
    id: "Service",
    description: "What a service of a preview is doing.",
    examples: [
      {
        name: "web",
        state: "crashed",
        startedAt: null,
        lastExitCode: 127,
        lastExit: "exited 127",
        restarts: 4,
        httpResult: "not_healthy",
      },
    ],
  });

export const servicesSchema = z.object({ services: z.array(serviceSchema).describe("In the order of the settings.") });

export const serviceLogSchema = z
  .object({
    name: z.string().describe("The service's name."),
    log: z.string().describe("Its newest output, 256 KiB at most. Secrets of the environment read `[redacted]`."),
  })
  .meta({
    id: "ServiceLog",
    description: "What a service has written.",
    examples: [
      { name: "web", log: "[web starts on port 3000: nmp run dev]\n/bin/bash: line 1: nmp: command not found\n" },
    ],
  });

export function serviceOnWire(
  { name, state, ageMs, lastExit, restarts, httpResult }: ServiceReport,
  now: number,
): z.infer<typeof serviceSchema> {
  return {
    name,
    state,
    startedAt: timeOrNull(ageMs === null ? null : Math.max(0, Math.round(now - ageMs))),
    lastExitCode: lastExit?.code ?? null,
    lastExit: lastExit?.how ?? null,
    restarts,
    httpResult,
  };
}
