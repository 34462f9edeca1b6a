// Deletes a session.
import { getSessionObject } from "../../durable-objects/address.ts";
import type { SessionRpc } from "../../durable-objects/session/rpc.ts";
import type { Actor } from "../access/rules/actor.ts";
import type { Env } from "../env.ts";
import type { Refusal } from "../rules/refusal.ts";
import { deleteSessionRows } from "./queries/index.ts";

/**
 * Deletes a session and its rows. Rows without a session are deleted too: a database that was
 * restored to an earlier time contains sessions that were deleted since.
 */
export async function deleteSession(
  env: Pick<Env, "DB" | "SESSION" | "JURISDICTION">,
  sessionId: string,
  by: Actor,
): Promise<Refusal | null> {
  const session: Pick<SessionRpc, "delete"> = getSessionObject(env, sessionId);
  const refusal = await session.delete(by);
  if (refusal?.code !== "NOT_FOUND") return refusal;
  await deleteSessionRows(env.DB, sessionId);
  return null;
}
