// Restores a session to an earlier time, at the operator's command.
import { getSessionObject } from "../../durable-objects/address.ts";
import type { SessionRpc } from "../../durable-objects/session/rpc.ts";
import type { Env } from "../env.ts";
import { getErrorMessage } from "../lib/error-text.ts";
import { createId } from "../lib/ids.ts";
import { deleteParked } from "../operator/queries.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import {
  findRestorable,
  findRestore,
  listPeopleDeletedSince,
  type SessionRestore,
  updateRestore,
} from "./queries/restores.ts";
import { checkRestore, formatRestore, formatRestored, formatRestoredBefore, formatTime } from "./rules/restore.ts";

export interface RestoreSessionRequest {
  session: string;
  /** In ISO 8601. */
  at: string;
  /** False to learn what would be restored. */
  isConfirmed: boolean;
}

type RestoreEnv = Pick<Env, "DB" | "SESSION" | "JURISDICTION">;

/**
 * Restores a session, or returns what that would do. A restore that was interrupted continues, and
 * one that is done is not repeated.
 */
export async function runRestore(
  env: RestoreEnv,
  { session: id, at: time, isConfirmed }: RestoreSessionRequest,
  now: number,
): Promise<Record<string, string> | Refusal> {
  const at = Date.parse(time);
  const [found, last] = await Promise.all([findRestorable(env.DB, id), findRestore(env.DB, id)]);
  const before = last?.toTime === at ? last : null;
  if (found?.deletedAt === null && before?.settledAt != null) return formatRestoredBefore(id, at, before.settledAt);
  const refusal = checkRestore(id, found, at, now);
  if (refusal || found === null) return refusal ?? refuse("NOT_FOUND");
  if (!isConfirmed) return (await getSession(env, id).checkRestore(at)) ?? formatRestore(found, at);
  const restore = await restoreObject(env, { id, at, before });
  if (isRefusal(restore)) return restore;
  await deleteParked(env.DB, "session", id);
  await updateRestore(env.DB, restore, { settledAt: Date.now() });
  return formatRestored(found, restore);
}

const getSession = (
  env: RestoreEnv,
  id: string,
): Pick<SessionRpc, "checkRestore" | "restore" | "settleRestore" | "undoRestore"> => getSessionObject(env, id);

/** Sets the object back, unless that is already done, and settles what it has become. */
async function restoreObject(
  env: RestoreEnv,
  { id, at, before }: { id: string; at: number; before: SessionRestore | null },
): Promise<SessionRestore | Refusal> {
  const resumed = before && (await settle(env, before));
  if (resumed !== null) return resumed;
  const token = createId();
  let reason: string;
  try {
    return await getSession(env, id).restore({ sessionId: id, token, toTime: at });
  } catch (error) {
    // The object stops without a response, whether it is set back or fails.
    reason = getErrorMessage(error);
  }
  const restore = await findRestore(env.DB, id);
  if (restore?.token !== token) return refuse("SERVICE_UNAVAILABLE", `Nothing was changed: ${reason} Try again.`);
  const notRestored = "The platform did not restore the session. Nothing was changed. Try again.";
  return (await settle(env, restore)) ?? refuse("SERVICE_UNAVAILABLE", notRestored);
}

/**
 * Settles a session that was set back. Undoes that if the session did not exist then. Null if the
 * session was not set back.
 */
async function settle(env: RestoreEnv, restore: SessionRestore): Promise<SessionRestore | Refusal | null> {
  const { sessionId, toTime } = restore;
  const deletedPeople = await listPeopleDeletedSince(env.DB, toTime);
  switch (await getSession(env, sessionId).settleRestore(restore, deletedPeople)) {
    case "restored":
      return restore;
    case "not-restored":
      return null;
    case "absent":
      // The object stops without a response.
      await getSession(env, sessionId)
        .undoRestore(restore)
        .catch(() => undefined);
      if ((await findRestore(env.DB, sessionId)) !== null)
        return refuse(
          "SERVICE_UNAVAILABLE",
          `The session did not exist at ${formatTime(toTime)}, and is not yet set back to its present state. Repeat the command.`,
        );
      return refuse("BAD_REQUEST", `The session did not exist at ${formatTime(toTime)}. Nothing was changed.`);
  }
}
