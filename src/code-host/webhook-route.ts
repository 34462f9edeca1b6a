// The webhook of the code host. Only its signature authenticates the caller.
import * as z from "zod";
import { getWebhookInboxObject } from "../../durable-objects/address.ts";
import { publicEndpoint } from "../http/endpoint.ts";
import { checkBarred, countFailure } from "../http/failed-credentials.ts";
import { noContent } from "../http/response.ts";
import { toValidationRefusal } from "../http/validation.ts";
import { findStreamRefusal, readBodyBytes } from "../lib/byte-stream.ts";
import { webhookWaitMs } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import type { Webhook } from "./rules/webhook.ts";
import { createWebhookReader, listWebhooks, type WebhookReader } from "./webhook.ts";
import { createSignatureCheck, isSignature } from "./webhook-signature.ts";

/** The maximum size that GitHub sends: a push lists every commit. */
const webhookBodyBytes = 25 * 1_024 * 1_024;

const notSetUp = refuse(
  "SERVICE_UNAVAILABLE",
  "CODE_HOST_WEBHOOK_SECRET is not set, so no webhook can be verified. Set it to the secret that the code host signs with.",
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
  summary: "Receive an event of the code host. Other events are accepted and ignored.",
  tag: "Code host",
  isSigned: true,
  // GitHub may add parameters of its own.
  query: z.looseObject({}),
  body: { schema: z.looseObject({}), maxBytes: webhookBodyBytes },
  response: { status: 204 },
  refusals: ["UNAUTHORIZED", "BAD_REQUEST", "UNSUPPORTED_MEDIA_TYPE", "TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, request }) {
    // Checked before the body is read, because a signature cannot be verified without the body.
    const barred = checkBarred(env, request, now);
    if (barred) return barred;
    const [name, delivery] = [request.headers.get("x-github-event"), request.headers.get("x-github-delivery")];
    const reader = createWebhookReader(name ?? "");
    const refusal = await readSigned(request, env.CODE_HOST_WEBHOOK_SECRET, reader?.read ?? (() => {}));
    if (refusal === notSigned) return (await countFailure(env, request, now)) ?? notSigned;
    if (refusal) return refusal;
    if (!name || !delivery) return refuse("BAD_REQUEST", "A webhook comes with X-GitHub-Event and X-GitHub-Delivery.");
    const webhooks = reader ? readEvents(reader) : [];
    if (isRefusal(webhooks)) return webhooks;
    for (const [place, webhook] of webhooks.entries())
      await getWebhookInboxObject(env, webhook.repository.repositoryId).receive(
        place === 0 ? delivery : `${delivery} ${webhook.type}`,
        webhook,
      );
    return noContent;
  },
});

/** A body that exceeds the limit this many times is not read to its end. */
const drainedTimes = 4;

/**
 * Reads the body as it arrives, and verifies its signature at the end. Nothing is buffered, so many
 * webhooks at the same time do not wait for each other. Without a well-formed signature, the body
 * is not read.
 */
async function readSigned(
  request: Request,
  secret: string | undefined,
  read: (bytes: Uint8Array) => void,
): Promise<Refusal | null> {
  if (!secret) return notSetUp;
  const signature = request.headers.get("x-hub-signature-256");
  if (!isSignature(signature)) return notSigned;
  const check = createSignatureCheck(secret, signature);
  let bytes = 0;
  try {
    for await (const chunk of request.body ? readBodyBytes(request.body, { wholeMs: webhookWaitMs }) : []) {
      bytes += chunk.length;
      // The rest is read, because a client that is still sending may never read the response.
      if (bytes > webhookBodyBytes * drainedTimes) break;
      if (bytes > webhookBodyBytes) continue;
      check.read(chunk);
      read(chunk);
    }
  } catch (error) {
    return findStreamRefusal(error) ?? refuse("BAD_REQUEST", "The body ended before it was complete.");
  }
  if (bytes > webhookBodyBytes) return refuse("PAYLOAD_TOO_LARGE");
  if (!check.isSigned()) return notSigned;
  return /^application\/json\b/i.test(request.headers.get("content-type") ?? "") ? null : notJson;
}

function readEvents(reader: WebhookReader): Webhook[] | Refusal {
  if (!reader.isWhole()) return refuseField("", "is not JSON");
  try {
    return listWebhooks(reader);
  } catch (error) {
    if (error instanceof z.ZodError) return toValidationRefusal(error, "BAD_REQUEST");
    throw error;
  }
}

export const codeHostWebhookRoutes = [receive];
