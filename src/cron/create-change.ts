// Changes a cron.
import { cronObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import type { Actor } from "../rules/access/actor.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { type CronPlace, checkCron } from "./check.ts";
import type { CronBody } from "./create.ts";
import type { CronChanges } from "./rules/cron.ts";

export type CronChangeBody = { [Field in keyof CronBody]?: CronBody[Field] | undefined } & {
  enabled?: boolean | undefined;
};

/** Changes the fields that the request sends. */
export async function changeCron(
  env: Env,
  { cronId, found, body, by }: { cronId: string; found: CronPlace; body: CronChangeBody; by: Actor },
): Promise<Refusal | null> {
  const checked = await checkCron(env, found, body, { isNew: false });
  if (isRefusal(checked)) return checked;
  const { projectIds: _, timezone: __, ...fields } = body;
  const sent = Object.entries({ ...fields, projects: checked.projects ?? undefined }).filter(
    ([, value]) => value !== undefined,
  );
  const changes = Object.fromEntries(sent) as CronChanges;
  return (await cronObject(env, cronId).change({ changes, zone: checked.zone, by })) as Refusal | null;
}
