// The sweep of notices. It wakes those whose object was not started or lost its alarm.
import { noticeObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { overdueNotices } from "../storage/queries/push-notices.ts";
import { settleSweeps } from "./sweeps.ts";

const noticesPerSweep = 500;
/** A try begins well within this of its time. */
const overdueMs = 60_000;

/** Wakes what is overdue. Idempotent. */
export async function sweepNotices(env: Pick<Env, "DB" | "NOTICE">, now: number): Promise<void> {
  const overdue = await overdueNotices(env.DB, now - overdueMs, noticesPerSweep);
  const pokes = overdue.map((notice) => [`notice ${notice.id}`, noticeObject(env, notice.id).begin(notice)]);
  await settleSweeps(Object.fromEntries(pokes));
}
