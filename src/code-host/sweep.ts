// The sweep of missed webhooks. The code host does not send one again by itself, so it is asked
// which did not come through, as while the service was away. What comes twice is known by the inbox
// of its repository.
import { codeHostInboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { isRefusal } from "../rules/refusal.ts";
import { moveMark, readMark } from "../sweeps/marks.ts";
import { type SweepPlace, wakeEach } from "../sweeps/sweep.ts";
import { appOf } from "./code-host.ts";
import { attemptsSince, sendAgain } from "./github/deliveries.ts";
import { missedDeliveries } from "./rules/webhook.ts";
import { concernsSessions } from "./webhook.ts";

const minuteMs = 60_000;
const everyMinutes = 10;
/** A delivery under way is not in the list yet, so the last minutes are looked through twice. */
const overlapMs = 5 * minuteMs;
/** GitHub sends nothing again that is older than three days. */
const longestMs = 3 * 24 * 60 * minuteMs;
/** Webhooks that are asked for again and inboxes that are woken, beside the pages of the list. */
const callsPerPage = 15;
const mark = "missed webhooks";

/**
 * Asks for what was missed, every ten minutes, and wakes the inboxes that something came for.
 * Throws if the code host cannot be asked.
 */
export async function sweepMissedWebhooks(
  env: Pick<Env, "DB" | "CODE_HOST_INBOX" | "CODE_HOST_API_URL" | "CODE_HOST_APP_ID" | "CODE_HOST_APP_PRIVATE_KEY">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  const app = appOf(env);
  if (app === null || (after === "" && Math.floor(now / minuteMs) % everyMinutes !== 0)) return null;
  const since = Math.max(((await readMark(env.DB, mark)) ?? 0) - overlapMs, now - longestMs);
  const listed = await attemptsSince(app, since);
  if (isRefusal(listed)) throw new Error(listed.message);
  // What is sent again for this round is for the next one to judge.
  const attempts = listed.filter(({ deliveredAt }) => deliveredAt <= now);
  const missed = missedDeliveries(attempts).filter(({ event }) => concernsSessions(event));
  const repositories = new Set(attempts.flatMap(({ repositoryId }) => repositoryId ?? []));
  const calls = [
    ...missed.map(({ id, guid }) => ({
      place: placeOf("delivery", id),
      async call() {
        const refused = await sendAgain(app, id);
        // One that is too old, or whose repository is gone, stops no other.
        if (refused) console.error("a missed webhook is not sent again", guid, refused.message);
      },
    })),
    ...[...repositories].map((id) => ({
      place: placeOf("inbox", id),
      call: async () => await codeHostInboxObject(env, id).poke(),
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
  if (next === null) await moveMark(env.DB, mark, now);
  return next;
}

/** In the order of numbers: the deliveries first. */
const placeOf = (what: "delivery" | "inbox", id: number) => `${what} ${String(id).padStart(16, "0")}`;
