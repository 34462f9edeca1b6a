// One attempt of a delivery: the request to the receiver, and what follows from its answer.
import { getErrorMessage } from "../../src/lib/error-text.ts";
import { withDeadline, withTimeout } from "../../src/lib/timeout.ts";
import { webhookAnswerMs } from "../../src/rules/limits.ts";
import { type Attempt, findNextAttemptAt, isDelivered, readRetryAfter } from "../../src/webhook/rules/attempts.ts";
import { signDelivery } from "../../src/webhook/signature.ts";
import type { Receiver } from "./endpoint.ts";
import type { DeliveryRow, Outcome } from "./store.ts";

const answerBytes = 1_024;
/** How long the body of an answer is read. Its status is known, so it changes no outcome. */
const answerBodyMs = 1_000;

/** An attempt that has ended. */
export interface Ended {
  delivery: DeliveryRow;
  attempt: Attempt;
}

/** What the end of an attempt changes, at this time in milliseconds since the epoch. */
export function toOutcome({ delivery, attempt }: Ended, now: number): Outcome {
  const tries = delivery.tries + 1;
  const isDone = isDelivered(attempt);
  const dueAt = isDone ? null : findNextAttemptAt(tries, attempt, { now, random: Math.random() });
  const status = isDone ? "succeeded" : dueAt === null ? "failed" : "waiting";
  return { was: delivery, attempt, change: { tries, triedSince: delivery.triedSince ?? attempt.at, dueAt, status } };
}

/** Sends a delivery once. Never throws: every failure is an outcome. */
export async function sendDelivery(
  { id, body }: { id: string; body: string },
  { url, keys, fetch }: Receiver,
): Promise<Attempt> {
  const at = Date.now();
  const outcome = (result: Partial<Attempt>): Attempt => ({
    ...{ at, milliseconds: Date.now() - at, status: null, error: null, answer: null, retryAfterMs: null },
    ...result,
  });
  try {
    const headers = {
      "content-type": "application/json",
      "user-agent": "Switchyard-Webhooks/1",
      ...(await signDelivery({ id, body, at }, keys)),
    };
    const response = await withDeadline(webhookAnswerMs, (signal) =>
      // A redirect could lead where no webhook may.
      fetch(url, { method: "POST", headers, body, redirect: "manual", signal }),
    );
    const { status } = response;
    const answer = await readStart(response);
    if (isDelivered({ status })) return outcome({ status, answer });
    const retryAfterMs = readRetryAfter(response.headers.get("retry-after"), Date.now());
    const isRedirect = status >= 300 && status < 400;
    const error = isRedirect ? `HTTP ${status}: a webhook follows no redirect` : `HTTP ${status}`;
    return outcome({ status, answer, retryAfterMs, error });
  } catch (error) {
    return outcome({ error: formatFailure(error) });
  }
}

/** Why there was no answer. Of a refused address, the runtime says only that it failed. */
function formatFailure(error: unknown): string {
  if (error instanceof Error && error.name === "AbortError") return `no answer in ${webhookAnswerMs / 1_000} s`;
  const message = getErrorMessage(error);
  return message.startsWith("internal error") ? "no connection to the address" : message.slice(0, 300);
}

/** What comes soon of the first KiB of an answer, as text. The rest is not read. Never throws. */
async function readStart({ body }: Response): Promise<string | null> {
  if (!body) return null;
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  const endsAt = Date.now() + answerBodyMs;
  try {
    for (let left = answerBytes; left > 0; ) {
      const read = await withTimeout(reader.read(), endsAt - Date.now());
      if (read === "late" || !read.value) break;
      chunks.push(read.value.subarray(0, left));
      left -= read.value.length;
    }
  } catch {
    // A connection that breaks now is like the end of the body.
  }
  // The receiver may never react to this, so nothing waits for it.
  reader.cancel().catch(() => undefined);
  // SQLite ends a text of JSON at this character.
  return new TextDecoder().decode(await new Blob(chunks).arrayBuffer()).replaceAll("\0", "\ufffd");
}
