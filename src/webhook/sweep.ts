// The sweep of events that D1 keeps. It sends those that a lost call left.
import { createId } from "../lib/ids.ts";
import type { SweepPlace } from "../sweeps/sweep.ts";
import { sendKept } from "./member-events.ts";
import { listKeptEvents } from "./queries.ts";
import type { WebhooksEnv } from "./send.ts";

/** An event is sent well within this time. */
const overdueMs = 60_000;
/** Each event takes up to 22 calls. */
const eventsPerPage = 2;

/** Sends a page of kept events. Idempotent. */
export async function sweepKeptEvents(env: WebhooksEnv, { now }: SweepPlace): Promise<string | null> {
  const kept = await listKeptEvents(env.DB, createId(now - overdueMs), eventsPerPage);
  await sendKept(env, kept);
  return kept.length < eventsPerPage ? null : (kept.at(-1)?.id ?? null);
}
