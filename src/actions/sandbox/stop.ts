// Stopping the sandboxes of sessions, so that a workspace which runs as many as it may has room for others.
import { sessionObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { reasonOf } from "../../reason.ts";
import { sessionsWithSlot } from "../../storage/queries/sandbox-slots.ts";

export interface StoppedSandbox {
  sessionId: string;
  stopped: boolean;
}

/** Stops the sandboxes of those sessions that hold a slot of the workspace, and answers once it is known of each; nothing is asked of others. */
export async function stopSandboxes(env: Env, workspaceId: string, sessionIds: string[]): Promise<StoppedSandbox[]> {
  const holders = await sessionsWithSlot(env.DB, workspaceId, sessionIds);
  const outcomes = await Promise.all(holders.map(async (id) => ((await isStopped(env, id)) ? [id] : [])));
  const stopped = new Set(outcomes.flat());
  return sessionIds.map((sessionId) => ({ sessionId, stopped: stopped.has(sessionId) }));
}

/** One that breaks is told as not stopped; the others are none the worse for it. */
async function isStopped(env: Env, sessionId: string): Promise<boolean> {
  try {
    return await sessionObject(env, sessionId).stopSandbox();
  } catch (error) {
    console.error("sandbox stop failed", sessionId, reasonOf(error));
    return false;
  }
}
