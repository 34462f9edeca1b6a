// The limit of a workspace's session sandboxes on the wire: the limit, the running ones, and the
// result of stopping some.
import * as z from "zod";
import { exampleIds, uuid } from "../lib/wire.ts";

const exampleRunning = {
  sessionId: exampleIds.session,
  title: "Sort departures by time",
  projectName: "departures",
  branch: "svc/sort-departures-by-time-0d3f7e",
};

const runningSessionSchema = z
  .object({
    sessionId: uuid.describe("The session's id."),
    title: z.string().describe("The session's title."),
    projectName: z.string().describe("The name of its project."),
    branch: z.string().nullable().describe("The session's branch; null while it has none."),
  })
  .meta({ id: "RunningSession", description: "A session whose sandbox runs.", examples: [exampleRunning] });

export const sandboxLimitSchema = z
  .object({
    maxConcurrentSandboxes: z.int().nullable().describe("The number of sandboxes that may run; null for no limit."),
    runningSessions: z.array(runningSessionSchema).describe("The sessions whose sandboxes run."),
    maxSandboxesOfOwner: z
      .int()
      .nullable()
      .describe("How many may run in all free workspaces of this one's owner; null where this limit does not apply."),
    sandboxesOfOwner: z
      .int()
      .nullable()
      .describe("The number of those that run or start; null where this limit does not apply."),
  })
  .meta({
    id: "SandboxLimit",
    description: "What the workspace's plan allows, and what runs.",
    examples: [
      {
        maxConcurrentSandboxes: 20,
        runningSessions: [exampleRunning],
        maxSandboxesOfOwner: null,
        sandboxesOfOwner: null,
      },
    ],
  });

const stoppedSandboxSchema = z
  .object({
    sessionId: z.string().describe("The session's id, as it was sent."),
    stopped: z
      .boolean()
      .describe(
        "True when its sandbox ran and is now paused. False when none ran, when it could not be paused in time, when a runtime command runs in it, and for a session that is not of this workspace.",
      ),
  })
  .meta({
    id: "StoppedSandbox",
    description: "What happened to the sandbox of a session.",
    examples: [{ sessionId: exampleIds.session, stopped: true }],
  });

export const stoppedSandboxesSchema = z.object({
  sessions: z.array(stoppedSandboxSchema).describe("In the order of `sessionIds`."),
});
