// The forge's webhooks: signed, and sent one after the other in the order of the events.
import { createHmac, randomUUID } from "node:crypto";

export interface WebhookReceiver {
  url: string;
  secret: string;
}

export interface Webhooks {
  /** False without a receiver. */
  hasReceiver(): boolean;
  /** Queues an event. */
  send(event: string, payload: object): void;
  /** Drops the queue. */
  close(): Promise<void>;
}

const answerWaitMs = 10_000;

/** Creates the queue for a receiver. Without one, events are dropped. */
export function openWebhooks(receiver: WebhookReceiver | null): Webhooks {
  const ending = new AbortController();
  let last: Promise<void> = Promise.resolve();

  async function deliver({ url, secret }: WebhookReceiver, event: string, body: string): Promise<void> {
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
    hasReceiver: () => receiver !== null && !ending.signal.aborted,
    send(event, payload) {
      if (!receiver) return;
      const body = JSON.stringify(payload);
      last = last.then(() => deliver(receiver, event, body));
    },
    async close() {
      ending.abort();
      await last;
    },
  };
}
