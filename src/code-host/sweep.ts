// The sweep of missed webhooks. The code host does not resend a webhook by itself. The sweep finds
// those that failed, such as during an outage of the service, and requests them again. The inbox of
// a repository recognizes duplicates.
import { getWebhookInboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { isRefusal } from "../rules/refusal.ts";
import { readMark, updateMark } from "../sweeps/marks.ts";
import { type SweepPlace, wakeEach } from "../sweeps/sweep.ts";
import { findApp } from "./code-host.ts";
import { listAttemptsSince, sendAgain } from "./github/deliveries.ts";
import { listMissedDeliveries } from "./rules/webhook.ts";
import { canConcernSessions } from "./webhook.ts";

const minuteMs = 60_000;
const everyMinutes = 10;
/** A delivery in progress is not in the list yet, so the last minutes are checked twice. */
const overlapMs = 5 * minuteMs;
/** GitHub does not resend anything older than three days. */
const longestMs = 3 * 24 * 60 * minuteMs;
/** The number of webhooks requested again and inboxes woken, besides the pages of the list. */
const callsPerPage = 30;
const mark = "missed webhooks";

/**
 * Requests missed webhooks again every ten minutes, and wakes the inboxes that received something.
 * A long list is read in parts, newest first. A webhook whose later attempt is in another part may
 * be requested twice, which the inbox recognizes. Throws if the code host cannot be reached.
 */
export async function sweepMissedWebhooks(
  env: Pick<
    Env,
    "DB" | "WEBHOOK_INBOX" | "CODE_HOST_API_URL" | "CODE_HOST_APP_ID" | "CODE_HOST_APP_PRIVATE_KEY" | "JURISDICTION"
  >,
  { now, after }: SweepPlace,
): Promise<string | null> {
  const app = findApp(env);
  if (app === null || (after === "" && Math.floor(now / minuteMs) % everyMinutes !== 0)) return null;
  const since = Math.max(((await readMark(env.DB, mark)) ?? 0) - overlapMs, now - longestMs);
  const cursor = toCursor(after);
  const listed = await listAttemptsSince(app, since, cursor);
  if (isRefusal(listed)) throw new Error(listed.message);
  // Attempts that were caused by this round are left to the next one.
  const attempts = listed.attempts.filter(({ deliveredAt }) => deliveredAt <= now);
  const missed = listMissedDeliveries(attempts).filter(({ event }) => canConcernSessions(event));
  const repositories = new Set(attempts.flatMap(({ repositoryId }) => repositoryId ?? []));
  const calls = [
    ...missed.map(({ id, guid }) => ({
      place: toPlace(cursor, "delivery", id),
      async call() {
        const refused = await sendAgain(app, id);
        // A webhook that is too old, or whose repository is gone, does not stop the others.
        if (refused) log.warn("webhook.redelivery_refused", { webhookId: guid, error: refused.message });
      },
    })),
    ...[...repositories].map((id) => ({
      place: toPlace(cursor, "inbox", id),
      call: async () => await getWebhookInboxObject(env, id).wake(),
    })),
  ];
  const page = calls
    .filter(({ place }) => place > after)
    .sort((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, callsPerPage);
  const next = await wakeEach(
    page,
    ({ place }) => place,
    ({ call }) => call(),
    callsPerPage,
  );
  if (next !== null) return next;
  if (listed.older !== null) return toPartStart(listed.older);
  await updateMark(env.DB, mark, now);
  return null;
}

/**
 * The place of a call: the part of the list, then a sort key. Numbers sort by value, and deliveries
 * come before inboxes.
 */
const toPlace = (cursor: string | null, what: "delivery" | "inbox", id: number) =>
  `${toPartStart(cursor)}${what} ${String(id).padStart(16, "0")}`;

const toPartStart = (cursor: string | null) => `${encodeURIComponent(cursor ?? "")} `;

/** The part of the list that a place is in; null for the newest. */
const toCursor = (place: string) => decodeURIComponent(place.split(" ", 1)[0] ?? "") || null;
