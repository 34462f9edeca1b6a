// The sweep of notifications. It wakes those whose object was not started or lost its alarm.
import { getNotificationObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { type SweepPlace, wakeEach, wokenPerPage } from "../sweeps/sweep.ts";
import { listOverdueNotifications } from "./queries/notifications.ts";

/** An attempt starts well within this time after it is due. */
const overdueMs = 60_000;

/** Wakes what is overdue. Idempotent. */
export async function sweepNotifications(
  env: Pick<Env, "DB" | "NOTIFICATION" | "JURISDICTION">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  const overdue = await listOverdueNotifications(env.DB, { before: now - overdueMs, after, atMost: wokenPerPage });
  return await wakeEach(
    overdue,
    ({ id }) => id,
    (notice) => getNotificationObject(env, notice.id).start(notice),
  );
}
