// Stops the sandboxes of sessions, so that a workspace at its plan's limit can start others.
import { sessionObject } from "../../durable-objects/address.ts";
import type { Actor } from "../access/rules/actor.ts";
import type { Env } from "../env.ts";
import { reasonOf } from "../error-text.ts";
import { sessionsWithSlot } from "./queries/slots.ts";

export interface StoppedSandbox {
  sessionId: string;
  stopped: boolean;
}

/** Stops the sandboxes of those sessions that hold a slot of the workspace. Answers for each of the given sessions whether it was stopped. */
export async function stopSandboxes(
  env: Env,
  workspaceId: string,
  { sessionIds, by }: { sessionIds: string[]; by: Actor },
): Promise<StoppedSandbox[]> {
  const holders = await sessionsWithSlot(env.DB, workspaceId, sessionIds);
  const outcomes = await Promise.all(holders.map(async (id) => ((await isStopped(env, id, by)) ? [id] : [])));
  const stopped = new Set(outcomes.flat());
  return sessionIds.map((sessionId) => ({ sessionId, stopped: stopped.has(sessionId) }));
}

/** A stop that throws is logged and answered as not stopped, so that the others are still answered. */
async function isStopped(env: Env, sessionId: string, by: Actor): Promise<boolean> {
  try {
    return await sessionObject(env, sessionId).stopSandbox(by);
  } catch (error) {
    console.error("sandbox stop failed", sessionId, reasonOf(error));
    return false;
  }
}
