// The route that another program calls to run an HTTP trigger. Only the trigger's key authenticates
// it, and nothing in the body is a command.
import * as z from "zod";
import { type Found, findFacts } from "../access/queries.ts";
import { suspendedWorkspace } from "../access/rules/suspension.ts";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { publicEndpoint } from "../http/endpoint.ts";
import { checkBarred, countFailure, recordValidCredential } from "../http/failed-credentials.ts";
import { checkTriggerLimit } from "../http/rate-limit.ts";
import { accepted } from "../http/response.ts";
import { findTriggerKey } from "../key/credential.ts";
import { getKeyHash } from "../lib/base64url.ts";
import { triggerRequestBytes } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { findTriggerOfKey } from "./queries.ts";
import { createPlaceTitle, readPath, toQuotedJson } from "./rules/request.ts";
import type { Trigger } from "./rules/trigger.ts";
import { projectDetails, runTrigger } from "./run.ts";
import { startedRunSchema, toTriggerRunWire } from "./wire.ts";

const unknownKey = refuse(
  "UNAUTHORIZED",
  "The key is missing, or not the newest one of this trigger. Send `Authorization: Bearer svc_trg_…`.",
);
const isOff = refuse("FORBIDDEN", "The trigger is switched off. An owner or admin of the workspace enables it.");

const retryAfterSeconds = 30;
/** A repeat of a call that has not answered for so long continues it. */
const graceMs = 60_000;

export const run = publicEndpoint({
  method: "POST",
  path: "/api/triggers/{triggerId}",
  operation: "runTrigger",
  summary: "Run an HTTP trigger with its key. The body is any JSON.",
  tag: "Triggers",
  isKeyed: true,
  body: {
    schema: z.unknown().meta({ examples: [{ incident: "INC-7" }] }),
    maxBytes: triggerRequestBytes,
  },
  answers: { status: 202, data: startedRunSchema },
  refusals: ["UNAUTHORIZED", "FORBIDDEN", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, request, params }) {
    const allowed = await findCalled(env, request, params.triggerId, now);
    if (isRefusal(allowed)) return allowed;
    const { trigger, found } = allowed;
    const read = await readJson(request, triggerRequestBytes);
    if (isRefusal(read)) return read;
    if (read.json === undefined) return refuseField("", "is required");
    const cause = readPath(read.json, trigger.when.cause);
    if (isRefusal(cause)) return cause;
    const place = readPath(read.json, trigger.when.place);
    if (isRefusal(place)) return place;
    const ran = await runTrigger(
      env,
      {
        ...{ trigger, found, source: "http", cause, url: null, login: null, askedBy: null },
        // Another trigger's text means another place.
        place: place === null ? null : { kind: "http", externalId: `${trigger.id} ${place}` },
        title: createPlaceTitle(trigger.name, place),
        quotes: [{ title: "The body of the request:", text: toQuotedJson(read.json) }],
      },
      { now, graceMs },
    );
    // A program repeats a call after 503, whatever is in the way.
    if (isRefusal(ran)) return { ...refuse("SERVICE_UNAVAILABLE", ran.message), retryAfterSeconds };
    return accepted({ run: toTriggerRunWire(ran) });
  },
});

interface Called {
  trigger: Trigger;
  found: Found<"project", (typeof projectDetails)[number]>;
}

/** The trigger of a request, if its key is that trigger's. */
async function findCalled(env: Env, request: Request, triggerId: string, now: number): Promise<Called | Refusal> {
  const key = findTriggerKey(request);
  const hash = key === null ? null : await getKeyHash(key);
  const barred = checkBarred(env, request, now, hash);
  if (barred) return barred;
  if (hash === null) return (await countFailure(env, request, now)) ?? unknownKey;
  const [of, excess] = await Promise.all([findTriggerOfKey(env.DB, hash), checkTriggerLimit(env, hash, now)]);
  if (of?.trigger.id !== triggerId) return (await countFailure(env, request, now)) ?? unknownKey;
  recordValidCredential(hash, now);
  if (excess) return excess;
  const params = { projectId: of.projectId };
  const found = await findFacts(env.DB, { noun: "project", with: projectDetails, params });
  if (!found) return unknownKey;
  if (found.workspace.suspendedAt !== null) return suspendedWorkspace;
  return of.trigger.enabled ? { trigger: of.trigger, found } : isOff;
}
