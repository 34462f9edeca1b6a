// The spare of a session: at the first start of a session that has had no sandbox, the session
// takes a ready spare of its project's pool, if one exists.

import { service } from "../../src/access/rules/actor.ts";
import { log } from "../../src/lib/log.ts";
import { decided } from "../../src/rules/decision.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { type ClaimedSpare, claimSpare, releaseSpare } from "../../src/sandbox/queries/spares.ts";
import { findSessionSandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { getProjectObject, getSandboxObject } from "../address.ts";
import type { SessionContext } from "./context.ts";

/**
 * Claims a spare for a session that has had no sandbox. Returns null if there is none, which the
 * facts of most sessions already say. `before` is the session as it is stored; null for one that is
 * being created.
 */
export async function claimSpareFor(
  { env }: SessionContext,
  { before, after, hasSpare }: { before: SessionState | null; after: SessionState; hasSpare: boolean },
): Promise<ClaimedSpare | null> {
  if (!hasSpare || (before !== null && (await mayHaveWork(env, before)))) return null;
  const { id: sessionId, projectId, targetBranch } = after.session;
  return await claimSpare(env.DB, {
    sessionId,
    projectId,
    targetBranch,
    program: env.SANDBOX_PROGRAM,
    now: Date.now(),
  });
}

/** False for a session that never had a sandbox, so that nobody can have worked on its branch. */
async function mayHaveWork(env: SessionContext["env"], { session, chat }: SessionState): Promise<boolean> {
  if (session.branch === null) return false;
  return chat.turn !== null || (await getSandboxObject(env, session.sandboxKey).status()).generation > 0;
}

/**
 * Makes the session work in a spare from now on. Its own sandbox must not have been replaced since
 * the claim.
 */
export function withSpare(state: SessionState, { sandboxKey }: ClaimedSpare): SessionState {
  return { ...state, session: { ...state.session, sandboxKey } };
}

/**
 * Returns a spare to the pool, because its session does not start after all. A spare that cannot be
 * returned is ended, and its pool makes another.
 */
export async function releaseClaimedSpare(
  { env }: SessionContext,
  spare: ClaimedSpare,
  session: SessionState,
): Promise<void> {
  const { id, projectId } = session.session;
  if (await releaseSpare(env.DB, spare, id)) await notifyPool(env, projectId, "spareReturned");
  else await getSandboxObject(env, spare.sandboxKey).destroy();
}

/**
 * Notifies the pool of a session's project of a change. If that fails, the pool is maintained when
 * its warm time is over.
 */
export async function notifyPool(
  env: SessionContext["env"],
  projectId: string,
  what: "sessionStarted" | "spareReturned",
): Promise<void> {
  await getProjectObject(env, projectId)
    [what]()
    .catch((error: unknown) => log.warn("spare_pool.not_notified", { change: what, projectId, error }));
}

/**
 * Takes a spare for a session whose preview is opened before its first turn. Returns the key of the
 * session's sandbox, whether it is a spare or not.
 */
export async function claimSpareForPreview(context: SessionContext): Promise<string | null> {
  const { store, decide, shell } = context;
  const before = store.find();
  if (before === null) return null;
  const { sandboxKey } = before.session;
  if (findSessionSandboxOwner(before.session) === null) return sandboxKey;
  const spare = await claimSpareFor(context, { before, after: before, hasSpare: true });
  if (spare === null) return store.find()?.session.sandboxKey ?? null;
  const isTaken = decide(service, (state) =>
    state.session.sandboxKey === sandboxKey && state.chat.turn === null
      ? decided(withSpare(state, spare), true, [{ type: "index-session" }])
      : decided(state, false),
  );
  if (isRefusal(isTaken) || !isTaken) await releaseClaimedSpare(context, spare, before);
  else await notifyPool(context.env, before.session.projectId, "sessionStarted");
  // A visit finds the session through the key of its sandbox in the database.
  await shell.settled({ type: "index-session" });
  return store.find()?.session.sandboxKey ?? null;
}
