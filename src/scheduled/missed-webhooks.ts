// The sweep of missed webhooks. The code host does not send one again by itself, so it is asked which did not come through, as while the service
// was away. What comes twice is known by the inbox of its repository.
import { codeHostInboxObject } from "../../durable-objects/address.ts";
import { appOf } from "../code-host/code-host.ts";
import { attemptsSince, sendAgain } from "../code-host/github/deliveries.ts";
import { concernsSessions } from "../code-host/webhook.ts";
import type { Env } from "../env.ts";
import { isRefusal } from "../rules/refusal.ts";
import { missedDeliveries } from "../rules/webhook.ts";
import { moveMark, readMark } from "../storage/queries/sweep-marks.ts";
import { settleSweeps } from "./sweeps.ts";

const minuteMs = 60_000;
const everyMinutes = 10;
/** A delivery under way is not in the list yet, so the last minutes are looked through twice. */
const overlapMs = 5 * minuteMs;
/** GitHub sends nothing again that is older than three days. */
const longestMs = 3 * 24 * 60 * minuteMs;
const mark = "missed webhooks";

/** Asks for what was missed, every ten minutes, and wakes the inboxes that something came for. Throws if the code host cannot be asked. */
export async function sweepMissedWebhooks(
  env: Pick<Env, "DB" | "CODE_HOST_INBOX" | "CODE_HOST_API_URL" | "CODE_HOST_APP_ID" | "CODE_HOST_APP_PRIVATE_KEY">,
  now: number,
): Promise<void> {
  const app = appOf(env);
  if (app === null || Math.floor(now / minuteMs) % everyMinutes !== 0) return;
  const since = Math.max(((await readMark(env.DB, mark)) ?? 0) - overlapMs, now - longestMs);
  const attempts = await attemptsSince(app, since);
  if (isRefusal(attempts)) throw new Error(attempts.message);
  for (const { id, guid } of missedDeliveries(attempts).filter(({ event }) => concernsSessions(event))) {
    const refused = await sendAgain(app, id);
    // One that is too old, or whose repository is gone, holds up no other.
    if (refused) console.error("a missed webhook is not sent again", guid, refused.message);
  }
  const repositories = new Set(attempts.flatMap(({ repositoryId }) => (repositoryId === null ? [] : [repositoryId])));
  const pokes = [...repositories].map((id) => [`inbox ${id}`, codeHostInboxObject(env, id).poke()] as const);
  await settleSweeps(Object.fromEntries(pokes));
  await moveMark(env.DB, mark, now);
}
