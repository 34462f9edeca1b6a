// The sweep of events that are saved in D1. It sends those that a lost call left.
import { createId } from "../lib/ids.ts";
import type { SweepPlace } from "../sweeps/sweep.ts";
import { sendSavedById } from "./member-events.ts";
import { listSavedEventIds } from "./queries.ts";
import { findOldestTried } from "./rules/saved-events.ts";
import type { WebhooksEnv } from "./send.ts";

/** An event is sent well within this time. */
const overdueMs = 60_000;
/** Each event takes up to 22 calls. */
const eventsPerPage = 2;

/**
 * Sends a page of saved events. One that cannot be sent is logged, and holds up no other: a later
 * round tries it again. Idempotent.
 */
export async function sweepSavedEvents(env: WebhooksEnv, { now, after }: SweepPlace): Promise<string | null> {
  const oldest = findOldestTried(now);
  const first = oldest === null || after !== "" ? after : createId(oldest);
  const ids = await listSavedEventIds(env.DB, {
    after: first,
    before: createId(now - overdueMs),
    atMost: eventsPerPage,
  });
  for (const id of ids) await sendSavedById(env, id);
  return ids.length < eventsPerPage ? null : (ids.at(-1) ?? null);
}
