// The route that another program calls to run an HTTP trigger. Only the trigger's key or a
// signature authenticates it, and nothing in the body is a command.
import * as z from "zod";
import { type Found, findFacts } from "../access/queries.ts";
import { suspendedWorkspace } from "../access/rules/suspension.ts";
import type { Env } from "../env.ts";
import { parseJson, toText } from "../http/body.ts";
import { publicEndpoint } from "../http/endpoint.ts";
import { checkBarred, countFailure, recordValidCredential } from "../http/failed-credentials.ts";
import { checkTriggerLimit, getClientAddress } from "../http/rate-limit.ts";
import { accepted } from "../http/response.ts";
import { findTriggerKey } from "../key/credential.ts";
import { getKeyHash } from "../lib/base64url.ts";
import { readBytes } from "../lib/request-bytes.ts";
import { triggerRequestBytes } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { isSigned } from "../webhook/signature.ts";
import { findKeyedTrigger } from "./queries/triggers.ts";
import { brokenOffMs } from "./rules/outcome.ts";
import { createRequestPlan } from "./rules/plan.ts";
import { type RequestSignature, readSignature } from "./rules/signature.ts";
import type { Trigger } from "./rules/trigger.ts";
import { projectDetails, runTrigger } from "./run.ts";
import { unsealTriggerSecret } from "./secrets.ts";
import { startedRunSchema, toTriggerRunWire } from "./wire.ts";

const unknownCaller = refuse(
  "UNAUTHORIZED",
  "Send `Authorization: Bearer svc_trg_…` with the newest key of this trigger, or sign the body with its newest secret.",
);
const isOff = refuse("FORBIDDEN", "The trigger is switched off. An owner or admin of the workspace enables it.");

const retryAfterSeconds = 30;

export const run = publicEndpoint({
  method: "POST",
  path: "/api/triggers/{triggerId}",
  operation: "runTrigger",
  summary: "Run an HTTP trigger. The body is any JSON.",
  tag: "Triggers",
  isKeyed: true,
  body: {
    schema: z.unknown().meta({ examples: [{ incident: "INC-7" }] }),
    maxBytes: triggerRequestBytes,
  },
  response: { status: 202, data: startedRunSchema },
  refusals: ["UNAUTHORIZED", "FORBIDDEN", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, request, params }) {
    const allowed = await findCalled(env, request, params.triggerId, now);
    if (isRefusal(allowed)) return allowed;
    const { call, found } = allowed;
    const { trigger, webhookId } = call;
    const read = await call.readJson();
    if (isRefusal(read)) return read;
    const plan = createRequestPlan(trigger, { json: read.json, webhookId });
    if (isRefusal(plan)) return plan;
    const ran = await runTrigger(
      env,
      { trigger, found, source: "http", url: null, login: null, askedBy: null, ...plan },
      // A repeat continues a call that has broken off.
      { now, graceMs: brokenOffMs },
    );
    // A program repeats a call after 503, whatever is in the way.
    if (isRefusal(ran)) return { ...refuse("SERVICE_UNAVAILABLE", ran.message), retryAfterSeconds };
    return accepted({ run: toTriggerRunWire(ran) });
  },
});

interface Called {
  call: TriggerCall;
  found: Found<"project", (typeof projectDetails)[number]>;
}

/** The call of a request, if its trigger may run now. */
async function findCalled(env: Env, request: Request, triggerId: string, now: number): Promise<Called | Refusal> {
  const call = await findCall(env, request, { triggerId, now });
  if (isRefusal(call)) return call;
  const params = { projectId: call.projectId };
  const found = await findFacts(env.DB, { noun: "project", with: projectDetails, params });
  if (!found) return unknownCaller;
  if (found.workspace.suspendedAt !== null) return suspendedWorkspace;
  return call.trigger.enabled ? { call, found } : isOff;
}

interface TriggerCall {
  projectId: string;
  trigger: Trigger;
  /** The id of a signed request; null for one with a key. */
  webhookId: string | null;
  readJson(): Promise<{ json: unknown } | Refusal>;
}

/**
 * The trigger that a request may call. A key and a signature are refused alike, and an invalid one
 * counts by its address. The body of a call with an invalid key is not read.
 */
async function findCall(
  env: Env,
  request: Request,
  { triggerId, now }: { triggerId: string; now: number },
): Promise<TriggerCall | Refusal> {
  const key = findTriggerKey(request);
  const signature = key === null ? readSignature(request.headers, now) : null;
  const hash = key === null ? null : await getKeyHash(key);
  const barred = checkBarred(env, request, now, signature === null ? hash : nameSigner(triggerId));
  if (barred) return barred;
  const call =
    signature === null
      ? await findByKey(env, { hash, triggerId, request, now })
      : await findBySignature(env, { signature, triggerId, request, now });
  return call ?? (await countFailure(env, request, now)) ?? unknownCaller;
}

/** Who signs for a trigger, among the credentials that were valid a short time ago. */
const nameSigner = (triggerId: string) => `signed ${triggerId}`;

interface CallCredentialQuery {
  triggerId: string;
  request: Request;
  now: number;
}

async function findByKey(
  env: Env,
  { hash, triggerId, request, now }: CallCredentialQuery & { hash: string | null },
): Promise<TriggerCall | Refusal | null> {
  if (hash === null) return null;
  const [of, excess] = await Promise.all([findKeyedTrigger(env.DB, { hash }), checkTriggerLimit(env, hash, now)]);
  if (of?.trigger.id !== triggerId) return null;
  recordValidCredential(hash, now);
  const { projectId, trigger } = of;
  return excess ?? { projectId, trigger, webhookId: null, readJson: () => readBody(request) };
}

/**
 * A signature can be verified only with the body and the secret, so what that costs is limited for
 * each address.
 */
async function findBySignature(
  env: Env,
  { signature, triggerId, request, now }: CallCredentialQuery & { signature: RequestSignature },
): Promise<TriggerCall | Refusal | null> {
  const excess = await checkTriggerLimit(env, `${getClientAddress(request.headers)} ${triggerId}`, now);
  if (excess) return excess;
  const body = await readBytes(request, triggerRequestBytes);
  if (isRefusal(body)) return body;
  const of = await findKeyedTrigger(env.DB, { triggerId });
  if (of?.sealed == null) return null;
  // The sweep of stale seals logs a secret whose sealing key is gone.
  const secret = await unsealTriggerSecret(env, triggerId, of.sealed).catch(() => null);
  if (secret === null || !(await isSigned({ ...signature, body }, signature.signatures, secret))) return null;
  recordValidCredential(nameSigner(triggerId), now);
  const { projectId, trigger, hash } = of;
  const call = { projectId, trigger, webhookId: signature.id, readJson: async () => toJson(body) };
  return (await checkTriggerLimit(env, hash, now)) ?? call;
}

async function readBody(request: Request): Promise<{ json: unknown } | Refusal> {
  const body = await readBytes(request, triggerRequestBytes);
  return isRefusal(body) ? body : toJson(body);
}

function toJson(body: Uint8Array): { json: unknown } | Refusal {
  const text = toText(body);
  const read = isRefusal(text) ? text : parseJson(text);
  return !isRefusal(read) && read.json === undefined ? refuseField("", "is required") : read;
}
