// The code host's webhooks: signed, and sent one after the other in the order of the events.
import { createHmac, randomUUID } from "node:crypto";
import { type ApiAnswer, notFound } from "./rest.ts";

export interface WebhookReceiver {
  url: string;
  secret: string;
}

export interface Webhooks {
  /** False without a receiver. */
  hasReceiver(): boolean;
  /** Queues an event. */
  send(event: string, payload: object): void;
  /** The recently sent events, newest first. */
  sent(): Omit<Attempt, "body">[];
  /**
   * Queues the event of an attempt again, under the same delivery id. False for an unknown attempt.
   */
  sendAgain(id: number): boolean;
  /** Drops the queue. */
  close(): Promise<void>;
}

/** One attempt to deliver an event, as the app's list shows it. */
interface Attempt {
  id: number;
  guid: string;
  event: string;
  delivered_at: string;
  redelivery: boolean;
  status_code: number;
  repository_id: number | null;
  body: string;
}

const answerWaitMs = 10_000;
const attemptsKept = 100;

/** Creates the queue for a receiver. Without one, events are dropped. */
export function createWebhooks(receiver: WebhookReceiver | null): Webhooks {
  const ending = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const attempts: Attempt[] = [];
  let attempted = 0;

  type Delivery = Pick<Attempt, "guid" | "event" | "body" | "redelivery">;

  function note({ body, ...delivery }: Delivery, status_code: number): void {
    const { repository } = JSON.parse(body) as { repository?: { id: number } };
    const at = { id: ++attempted, delivered_at: new Date().toISOString(), repository_id: repository?.id ?? null };
    attempts.unshift({ ...delivery, ...at, status_code, body });
    attempts.length = Math.min(attempts.length, attemptsKept);
  }

  async function deliver({ url, secret }: WebhookReceiver, delivery: Delivery): Promise<void> {
    if (ending.signal.aborted) return;
    const { guid, event, body } = delivery;
    const headers = {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": guid,
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    };
    try {
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(answerWaitMs)]);
      const answer = await fetch(url, { method: "POST", headers, body, signal });
      note(delivery, answer.status);
      if (!answer.ok) console.error(`practice code host: the webhook of a ${event} was answered ${answer.status}`);
      await answer.body?.cancel();
    } catch (error) {
      if (ending.signal.aborted) return;
      note(delivery, 0);
      console.error(`practice code host: the webhook of a ${event} did not arrive:`, error);
    }
  }

  return {
    hasReceiver: () => receiver !== null && !ending.signal.aborted,
    send(event, payload) {
      if (!receiver) return;
      const delivery = { guid: randomUUID(), event, redelivery: false, body: JSON.stringify(payload) };
      last = last.then(() => deliver(receiver, delivery));
    },
    sent: () => attempts.map(({ body: _, ...attempt }) => attempt),
    sendAgain(id) {
      const attempt = attempts.find((one) => one.id === id);
      if (!attempt || !receiver) return false;
      last = last.then(() => deliver(receiver, { ...attempt, redelivery: true }));
      return true;
    },
    async close() {
      ending.abort();
      await last;
    },
  };
}

/**
 * Handles the app's calls about its deliveries: listing them, and sending one again. Null for any
 * other path.
 */
export function handleDeliveries(webhooks: Webhooks, method: string, path: string): ApiAnswer | null {
  const [, id, again] = /^\/app\/hook\/deliveries(?:\/(\d+)(\/attempts))?$/.exec(path) ?? [];
  if (path === "/app/hook/deliveries" && method === "GET") return { status: 200, body: webhooks.sent() };
  if (again === undefined || method !== "POST") return null;
  return webhooks.sendAgain(Number(id)) ? { status: 202, body: {} } : notFound;
}
