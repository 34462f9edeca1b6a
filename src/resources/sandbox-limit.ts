// How many sandboxes of sessions a workspace may run, which it runs, and what became of those that were to stop, on the wire.
import * as z from "zod";
import { uuid } from "./wire-values.ts";

export const sandboxLimitSchema = z
  .object({
    maxConcurrentSandboxes: z.int().nullable(),
    runningSessions: z.array(
      z.object({ sessionId: uuid, title: z.string(), projectName: z.string(), branch: z.string().nullable() }),
    ),
  })
  .meta({ description: "What the workspace's plan allows, null for no limit, and the sessions whose sandboxes run." });

export const stoppedSandboxesSchema = z
  .object({ sessions: z.array(z.object({ sessionId: z.string(), stopped: z.boolean() })) })
  .meta({
    description:
      "Each session once, in the order asked for. `stopped` is true when its sandbox ran and is paused now, its work saved and its place free; false when none ran, when it could not be paused in time, when a runtime command runs in it, and for a session that is not of this workspace.",
  });
