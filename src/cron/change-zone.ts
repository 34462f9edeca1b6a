// A change of the Workspace Timezone, as far as it affects crons (decisions, "Crons").
import { waitUntil } from "cloudflare:workers";
import { getSweepObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { listSchedules } from "./queries/crons.ts";
import { recordZoneChange } from "./queries/zone-changes.ts";
import { checkSchedule } from "./rules/cron.ts";

const namesShown = 5;

/**
 * Refuses a timezone in which schedules of the workspace would run too often, and names their
 * crons.
 */
export async function checkZoneOfCrons(
  env: Pick<Env, "DB">,
  workspaceId: string,
  zone: string,
  now: number,
): Promise<Refusal | null> {
  const crons = await listSchedules(env.DB, workspaceId);
  // Many crons may share a schedule, so each schedule is checked once.
  const verdicts = new Map(
    [...new Set(crons.map(({ cronExpression }) => cronExpression))].map((schedule) => [
      schedule,
      checkSchedule(schedule, zone, now),
    ]),
  );
  const broken = crons.filter(({ cronExpression }) => verdicts.get(cronExpression));
  const [first] = broken;
  if (!first) return null;
  const names = broken.slice(0, namesShown).map(({ name }) => `“${name}”`);
  const more = broken.length > namesShown ? ` and ${broken.length - namesShown} more` : "";
  const why = verdicts.get(first.cronExpression)?.message ?? "";
  const message = `The timezone breaks the schedule of ${names.join(", ")}${more}. Change these crons first. ${why}`;
  return refuse("BAD_REQUEST", message, { crons: broken.map(({ id, name }) => ({ id, name })) });
}

/**
 * Makes every cron plan its next slot again, after the response. The sweep does this in pages, and
 * resumes where it stopped.
 */
export async function planCronsAgain(
  env: Pick<Env, "DB" | "SWEEP" | "JURISDICTION">,
  workspaceId: string,
  now: number,
): Promise<void> {
  await recordZoneChange(env.DB, workspaceId, now);
  waitUntil(
    getSweepObject(env, "changed timezones")
      .tick("changed timezones", now)
      .catch((error: unknown) => log.warn("cron.replan_delayed", { workspaceId, error })),
  );
}
