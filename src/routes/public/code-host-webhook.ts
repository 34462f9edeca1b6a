// The webhook of the code host. Its signature is the only proof of who calls.
import * as z from "zod";
import { codeHostInboxObject } from "../../../durable-objects/address.ts";
import { webhookMemory } from "../../bytes/held-bytes.ts";
import { concernsSessions, readWebhook } from "../../code-host/webhook.ts";
import { isSignature, isSignedBy } from "../../code-host/webhook-signature.ts";
import { noContent } from "../../http/answer.ts";
import { asText, parseJson, readBytes } from "../../http/body.ts";
import { publicEndpoint } from "../../http/endpoint.ts";
import { countFailure, refuseBarred } from "../../http/failed-credentials.ts";
import { invalid } from "../../http/validation.ts";
import { webhookWaitMs } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import type { Webhook } from "../../rules/webhook.ts";

/** The most that GitHub sends: a push lists every commit. */
const webhookBodyBytes = 25 * 1_024 * 1_024;

const notSetUp = refuse(
  "SERVICE_UNAVAILABLE",
  "CODE_HOST_WEBHOOK_SECRET is not set, so no webhook can be believed. Set it to the secret that the code host signs with.",
);
const notSigned = refuse(
  "UNAUTHORIZED",
  "The signature is missing or wrong. Sign with the secret that CODE_HOST_WEBHOOK_SECRET holds.",
);
const notJson = refuse(
  "UNSUPPORTED_MEDIA_TYPE",
  "Webhooks are read as JSON. Set the webhook's content type to application/json.",
);

const receive = publicEndpoint({
  method: "POST",
  path: "/api/webhooks/github",
  operation: "receiveCodeHostWebhook",
  summary: "Receive a push, pull request or check event of the code host. Other events are accepted and ignored.",
  tag: "Code host",
  isSigned: true,
  // GitHub may add parameters of its own.
  query: z.looseObject({}),
  body: { schema: z.looseObject({}), maxBytes: webhookBodyBytes },
  answers: { status: 204 },
  refusals: ["UNAUTHORIZED", "BAD_REQUEST", "UNSUPPORTED_MEDIA_TYPE", "TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, request }) {
    // Before the body is read: a signature says nothing without it.
    const barred = refuseBarred(env, request, now);
    if (barred) return barred;
    const body = await readSigned(request, env.CODE_HOST_WEBHOOK_SECRET);
    if (body === notSigned) return (await countFailure(env, request, now)) ?? notSigned;
    if (isRefusal(body)) return body;
    const [name, delivery] = [request.headers.get("x-github-event"), request.headers.get("x-github-delivery")];
    if (!name || !delivery) return refuse("BAD_REQUEST", "A webhook comes with X-GitHub-Event and X-GitHub-Delivery.");
    const webhook = readEvent(name, body);
    if (isRefusal(webhook)) return webhook;
    if (webhook) await codeHostInboxObject(env, webhook.repository.repositoryId).keep(delivery, webhook);
    return noContent;
  },
});

/** Reads the body and checks its signature. Without a well-formed signature the body is not read. */
async function readSigned(request: Request, secret: string | undefined): Promise<Uint8Array<ArrayBuffer> | Refusal> {
  if (!secret) return notSetUp;
  const signature = request.headers.get("x-hub-signature-256");
  if (!isSignature(signature)) return notSigned;
  const body = await readBytes(request, webhookBodyBytes, { memory: webhookMemory, wholeMs: webhookWaitMs });
  if (isRefusal(body)) return body;
  if (!(await isSignedBy(secret, signature, body))) return notSigned;
  return /^application\/json\b/i.test(request.headers.get("content-type") ?? "") ? body : notJson;
}

/** An event that concerns no session is not parsed: it may be large. */
function readEvent(name: string, body: Uint8Array): Webhook | null | Refusal {
  if (!concernsSessions(name)) return null;
  const text = asText(body);
  const read = isRefusal(text) ? text : parseJson(text);
  if (isRefusal(read)) return read;
  try {
    return readWebhook(name, read.json);
  } catch (error) {
    if (error instanceof z.ZodError) return invalid(error, "BAD_REQUEST");
    throw error;
  }
}

export const codeHostWebhookRoutes = [receive];
