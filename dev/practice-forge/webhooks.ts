// The forge's webhooks: what happens is told to whoever asked for it, signed, one after the other in the order that it happened.
import { createHmac, randomUUID } from "node:crypto";

export interface WebhookReceiver {
  url: string;
  secret: string;
}

export interface Webhooks {
  /** False where nobody is told. */
  isHeard(): boolean;
  /** Tells of an event, behind what is being told. */
  send(event: string, payload: object): void;
  /** What is still to be told is not told any more. */
  close(): Promise<void>;
}

const answerWaitMs = 10_000;

/** Opens the way to a receiver; without one nobody is told. */
export function openWebhooks(receiver: WebhookReceiver | null): Webhooks {
  const ending = new AbortController();
  let last: Promise<void> = Promise.resolve();

  async function tell({ url, secret }: WebhookReceiver, event: string, body: string): Promise<void> {
    if (ending.signal.aborted) return;
    const headers = {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    };
    try {
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(answerWaitMs)]);
      const answer = await fetch(url, { method: "POST", headers, body, signal });
      if (!answer.ok) console.error(`practice forge: the webhook of a ${event} was answered ${answer.status}`);
      await answer.body?.cancel();
    } catch (error) {
      if (!ending.signal.aborted) console.error(`practice forge: the webhook of a ${event} did not arrive:`, error);
    }
  }

  return {
    isHeard: () => receiver !== null && !ending.signal.aborted,
    send(event, payload) {
      if (!receiver) return;
      const body = JSON.stringify(payload);
      last = last.then(() => tell(receiver, event, body));
    },
    async close() {
      ending.abort();
      await last;
    },
  };
}
