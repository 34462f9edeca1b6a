// Restores a session to an earlier time, at the operator's command.
import { getSessionObject } from "../../durable-objects/address.ts";
import type { SessionRpc } from "../../durable-objects/session/rpc.ts";
import type { Env } from "../env.ts";
import { getErrorMessage } from "../lib/error-text.ts";
import { createId } from "../lib/ids.ts";
import { deleteParked } from "../operator/queries.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { findRestorable, findRestore, type SessionRestore, updateRestore } from "./queries/restores.ts";
import { checkRestore, formatRestore, formatRestored, formatTime } from "./rules/restore.ts";

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
export async function restoreSession(
  env: RestoreEnv,
  { session: id, at: time, isConfirmed }: RestoreSessionRequest,
  now: number,
): Promise<Record<string, string> | Refusal> {
  const at = Date.parse(time);
  const [found, last] = await Promise.all([findRestorable(env.DB, id), findRestore(env.DB, id)]);
  const before = last?.toTime === at ? last : null;
  if (found?.deletedAt === null && before?.settledAt != null)
    return { session: id, state: "restored before", at: formatTime(before.settledAt), to: formatTime(at) };
  const refusal = checkRestore(id, found, at, now);
  if (refusal || found === null) return refusal ?? refuse("NOT_FOUND");
  if (!isConfirmed) return formatRestore(found, at);
  const restore = await goBack(env, { id, at, before });
  if (isRefusal(restore)) return restore;
  await deleteParked(env.DB, "session", id);
  await updateRestore(env.DB, restore, { settledAt: Date.now() });
  return formatRestored(found, restore);
}

const getSession = (env: RestoreEnv, id: string): Pick<SessionRpc, "goBack" | "settleRestore" | "undoRestore"> =>
  getSessionObject(env, id);

/** Sets the object back, unless that is already done, and settles what it has become. */
async function goBack(
  env: RestoreEnv,
  { id, at, before }: { id: string; at: number; before: SessionRestore | null },
): Promise<SessionRestore | Refusal> {
  if (before !== null && (await getSession(env, id).settleRestore(before)) === "restored") return before;
  const token = createId();
  let reason = "The object did not restart.";
  try {
    return await getSession(env, id).goBack({ sessionId: id, token, toTime: at });
  } catch (error) {
    // The object stops without a response, whether it is set back or fails.
    reason = getErrorMessage(error);
  }
  const restore = await findRestore(env.DB, id);
  if (restore?.token !== token) return refuse("SERVICE_UNAVAILABLE", `Nothing was changed: ${reason} Try again.`);
  switch (await getSession(env, id).settleRestore(restore)) {
    case "restored":
      return restore;
    case "not-restored":
      return refuse("SERVICE_UNAVAILABLE", `The platform did not restore the session: ${reason} Try again.`);
    case "absent":
      await getSession(env, id)
        .undoRestore(restore)
        .catch(() => undefined);
      return refuse("BAD_REQUEST", `The session did not exist at ${formatTime(at)}. Nothing was changed.`);
  }
}
