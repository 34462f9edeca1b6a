// Fires a cron as its alarm does, without waiting for its slot. In one-machine mode only.
import * as z from "zod";
import { getCronObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { ok, toRefusalResponse, toResponse } from "../http/response.ts";
import { check } from "../http/validation.ts";
import { isFromOwnPage } from "../key/same-origin.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import type { FiredRun } from "./rules/run-status.ts";

const dueBody = z.strictObject({ slot: z.iso.datetime({ offset: true }).optional() }).nullish();

/** Handles `POST /dev/crons/{cronId}/due`: returns the runs of the slot. */
export async function handleDevCronDue(request: Request, env: Env, cronId: string): Promise<Response> {
  const runs = await fire(request, env, cronId);
  return isRefusal(runs) ? toRefusalResponse(runs) : toResponse(ok({ runs }));
}

async function fire(request: Request, env: Env, cronId: string): Promise<FiredRun[] | Refusal> {
  // Prevents cross-site request forgery. Only browsers send an Origin.
  if (request.headers.has("origin") && !isFromOwnPage(request, env.PUBLIC_URL)) return refuse("FORBIDDEN");
  const read = await readJson(request);
  if (isRefusal(read)) return read;
  const body = check(dueBody, read.json, "VALIDATION_ERROR");
  if (isRefusal(body)) return body;
  const slot = body.value?.slot === undefined ? null : Date.parse(body.value.slot);
  return (await getCronObject(env, cronId).fireSlot(slot)) as FiredRun[] | Refusal;
}
