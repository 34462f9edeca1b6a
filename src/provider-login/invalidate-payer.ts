// Notifies the running turns of a workspace that its credential or limit has changed, because they
// cache it between their model calls.

import { getSessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { runInLanes } from "../lib/concurrency.ts";
import { log } from "../lib/log.ts";
import { listBackoffMs } from "../rules/backoff.ts";
import { listSessionsAtWork } from "../session/queries/index.ts";

const sessionsAtOnce = 50;
const pausesMs = [0, ...listBackoffMs(2, { firstMs: 100, longestMs: 1_000 })];

/**
 * To be awaited after a change of a workspace's credential or limit, so that the next model call of
 * every turn uses the new one.
 */
export async function notifyTurnsOfPayer(
  env: Pick<Env, "DB" | "SESSION" | "JURISDICTION">,
  workspaceId: string,
): Promise<void> {
  const sessionIds = await listSessionsAtWork(env.DB, workspaceId);
  await runInLanes(
    sessionIds,
    sessionsAtOnce,
    (id) => notifySession(env, id),
    () => {},
  );
}

async function notifySession(env: Pick<Env, "SESSION" | "JURISDICTION">, sessionId: string): Promise<void> {
  for (const pauseMs of pausesMs) {
    await scheduler.wait(pauseMs);
    try {
      return await getSessionObject(env, sessionId).forgetLogins();
    } catch (error) {
      log.warn("payer.change_not_announced", { sessionId, error });
    }
  }
}
