// Creates a cron. Its object owns the record, and lists show the cron before the response is sent.
import type * as z from "zod";
import { getCronObject } from "../../durable-objects/address.ts";
import type { Actor } from "../access/rules/actor.ts";
import type { Caller } from "../access/rules/caller.ts";
import type { Env } from "../env.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { findCreated, getClaimedId } from "../storage/idempotent-create.ts";
import { toCronChanged } from "../workspace/event-wire.ts";
import { publishEvent } from "../workspace/publish-event.ts";
import { type CronPlace, checkCron } from "./check-body.ts";
import { type CronRow, findCron } from "./queries/crons.ts";
import { type CronChanges, checkSchedule, noCron } from "./rules/cron.ts";
import { getCronWriter } from "./rules/last-writer.ts";
import type { createCronBody } from "./wire/cron.ts";

export type CronBody = z.infer<typeof createCronBody>;

interface Command {
  caller: Caller;
  found: CronPlace;
  body: CronBody;
  repeat: Idempotency | null;
  now: number;
}

/**
 * Creates a cron and returns it as lists show it. With an Idempotency-Key, a repeat returns the
 * same cron.
 */
export async function createCron(env: Env, { caller, found, body, repeat, now }: Command): Promise<CronRow | Refusal> {
  if (!caller.user) return refuse("FORBIDDEN", "Only a member can create a cron. Ask a member to do it.");
  const valid = await checkCron(env, found, body, { isNew: true });
  const checked = isRefusal(valid) ? valid : (checkSchedule(body.cronExpression, valid.zone, now) ?? valid);
  if (isRefusal(checked)) return (await findCreated(env.DB, { repeat, now }, (id) => findCron(env.DB, id))) ?? checked;
  const id = await getClaimedId(env.DB, repeat, now);
  if (isRefusal(id)) return id;
  const { projectIds: _, timezone: __, model = null, ...fields } = body;
  const command = {
    ...fields,
    ...{ id, workspaceId: found.workspace.id, createdBy: caller.user.id, zone: checked.zone },
    writtenBy: getCronWriter(caller.actor),
    ...{ model, projects: checked.projects ?? [] },
  };
  const answer = (await getCronObject(env, id).create(command, caller.actor)) as CronRow | Refusal | null;
  if (answer !== null && !isRefusal(answer)) publishEvent(env, found.workspace.id, toCronChanged(command, answer));
  return answer ?? (await findCron(env.DB, id)) ?? noCron;
}

export type CronChangeBody = { [Field in keyof CronBody]?: CronBody[Field] | undefined } & {
  enabled?: boolean | undefined;
};

/** Changes the fields that the request contains. */
export async function updateCron(
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
  return await getCronObject(env, cronId).update({ changes, zone: checked.zone, by });
}
