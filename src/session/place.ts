// Sessions of places: a relay names a thread, a ticket or the like, and the same place gets the
// same session until it has ended.
import type { StartedSession } from "../../durable-objects/session/rpc.ts";
import { findFacts } from "../access/queries.ts";
import type { Caller } from "../access/rules/caller.ts";
import type { Env } from "../env.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { claimPlace, releasePlace } from "../trigger/queries/triggers.ts";
import type { Place } from "../trigger/rules/plan.ts";
import { isEnded } from "./rules/status.ts";

/** Refuses a place from a caller that is no relay, and files with a place. */
export function checkPlace(
  { actor }: Pick<Caller, "actor">,
  place: unknown,
  files: readonly unknown[],
): Refusal | null {
  if (place === undefined) return null;
  if (actor.type !== "relay") return refuse("FORBIDDEN", "Only a relay names a `place`.");
  // Another request may start the session of the place, and has not these files.
  return files.length === 0 ? null : refuseField("place", "takes no files");
}

interface NewInPlace {
  projectId: string;
  place: Place;
  /** The id of the session, if the place has none. A repeat of the request has the same one. */
  newId: string;
  isRepeatable: boolean;
}

/**
 * Creates the session of a place, or returns the one that it has. `create` creates a session with
 * an id, and returns one that exists as it is.
 */
export async function createInPlace(
  env: Env,
  { projectId, place, newId, isRepeatable }: NewInPlace,
  create: (id: string) => Promise<StartedSession | Refusal>,
  now: number,
): Promise<StartedSession | Refusal> {
  const claim = { projectId, place, newId };
  const claimed = await claimPlace(env.DB, { ...claim, ended: null }, now);
  // A late repeat gets its first result, even if the place has another session by now.
  if (claimed === newId || (isRepeatable && (await isCreated(env, projectId, newId)))) {
    const started = await create(newId);
    if (isRefusal(started)) await releasePlace(env.DB, { projectId, place, sessionId: newId });
    return started;
  }
  const started = await create(claimed);
  if (isRefusal(started) || !isEnded(started.session.session.status)) return started;
  return await create(await claimPlace(env.DB, { ...claim, ended: claimed }, now));
}

const isCreated = async (env: Env, projectId: string, sessionId: string): Promise<boolean> =>
  (await findFacts(env.DB, { noun: "session", params: { projectId, sessionId } })) !== null;
