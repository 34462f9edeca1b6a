// Stopping the sandboxes of sessions, so that a workspace which runs as many as it may has room for others.
import { sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { sessionsWithSlot } from "../storage/queries/sandbox-slots.ts";

export interface StoppedSandbox {
  sessionId: string;
  stopped: boolean;
}

/** A pause saves the work first, which takes its time; so long it is waited for. */
const pauseWaitMs = 25_000;
const lookEveryMs = 250;

/** Stops the sandboxes of those sessions that hold a slot of the workspace, and answers once the slots are free; nothing is asked of others. */
export async function stopSandboxes(env: Env, workspaceId: string, sessionIds: string[]): Promise<StoppedSandbox[]> {
  const holders = await sessionsWithSlot(env.DB, workspaceId, sessionIds);
  const pausing = await Promise.all(holders.map(async (id) => ((await beginStop(env, id)) ? [id] : [])));
  let left = pausing.flat();
  const stopped = new Set(left);
  for (const end = Date.now() + pauseWaitMs; left.length > 0 && Date.now() < end; ) {
    await scheduler.wait(lookEveryMs);
    left = await sessionsWithSlot(env.DB, workspaceId, left);
  }
  for (const sessionId of left) stopped.delete(sessionId);
  return sessionIds.map((sessionId) => ({ sessionId, stopped: stopped.has(sessionId) }));
}

/** One that breaks is told as not stopped; the others are none the worse for it. */
async function beginStop(env: Env, sessionId: string): Promise<boolean> {
  try {
    return await sessionObject(env, sessionId).stopSandbox();
  } catch (error) {
    console.error("sandbox stop failed", sessionId, error instanceof Error ? error.message : String(error));
    return false;
  }
}
