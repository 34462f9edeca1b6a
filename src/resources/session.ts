// A chat session on the wire.
import * as z from "zod";
import { turnStatuses } from "../rules/chat/turn.ts";
import { pauseReasons } from "../rules/chat/up-next.ts";
import { needsYouReasons } from "../rules/session/needs-you.ts";
import { commandStatuses, runtimeCommands } from "../rules/session/runtime-command.ts";
import { priorities, pullRequestStates, type SessionState, sessionStatuses } from "../rules/session/session.ts";
import { type SessionSummary, summarize } from "../rules/session/summary.ts";
import { time, timeOrNull, timestamp, uuid } from "./wire-values.ts";

const assigneeSchema = z.union([
  z.object({ kind: z.literal("member"), userId: z.string(), name: z.string(), imageUrl: z.string().nullable() }),
  z.object({ kind: z.literal("service") }),
]);

export const pausedSchema = z.object({ reason: z.enum(pauseReasons), pausedAt: timestamp }).nullable();

export const sessionSchema = z
  .object({
    id: uuid,
    projectId: uuid,
    title: z.string(),
    prompt: z.string().nullable(),
    status: z.enum(sessionStatuses),
    priority: z.enum(priorities),
    model: z.string().nullable(),
    branch: z.string().nullable(),
    targetBranch: z.string(),
    assignee: assigneeSchema.nullable(),
    createdBy: z.string().nullable(),
    filedBy: z
      .object({ kind: z.enum(["cron", "session", "relay"]) })
      .loose()
      .nullable(),
    prUrl: z.string().nullable(),
    prNumber: z.int().nullable(),
    prState: z.enum(pullRequestStates).nullable(),
    isBehind: z.boolean(),
    latestChatJob: z.object({ id: uuid, status: z.enum(turnStatuses), jobNumber: z.int() }).nullable(),
    queue: z.object({ count: z.int(), paused: pausedSchema }),
    needsYouReason: z.enum(needsYouReasons).nullable(),
    runtimeCommand: z
      .object({ command: z.enum(runtimeCommands), status: z.enum(commandStatuses), error: z.string().nullable() })
      .optional()
      .meta({ description: "The newest runtime command, once there was one; on the read of one session alone." }),
    sessionPath: z.string(),
    sessionUrl: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    startedAt: timestamp.nullable(),
    endedAt: timestamp.nullable(),
  })
  .meta({ description: "A chat session." });

export function sessionOnWire(state: SessionState, publicUrl: string): z.infer<typeof sessionSchema> {
  const { command } = state.session;
  const shown = summaryOnWire(summarize(state), publicUrl);
  if (command === null) return shown;
  return { ...shown, runtimeCommand: { command: command.command, status: command.status, error: command.error } };
}

/** A session as lists show it, which is as a read of one shows it. */
export function summaryOnWire(summary: SessionSummary, publicUrl: string): z.infer<typeof sessionSchema> {
  const { turn, waiting, pause, needsYou } = summary;
  const { workspaceId: _, sandboxKey: __, prBase: ___, ...session } = summary.session;
  const sessionPath = `/api/projects/${session.projectId}/chat-sessions/${session.id}`;
  return {
    ...session,
    latestChatJob: turn && { id: turn.id, status: turn.status, jobNumber: turn.number },
    queue: { count: waiting, paused: pause && { reason: pause.reason, pausedAt: time(pause.pausedAt) } },
    needsYouReason: needsYou,
    sessionPath,
    sessionUrl: publicUrl + sessionPath,
    createdAt: time(session.createdAt),
    updatedAt: time(session.updatedAt),
    startedAt: timeOrNull(session.startedAt),
    endedAt: timeOrNull(session.endedAt),
  };
}
