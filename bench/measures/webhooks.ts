// Webhooks: how soon after its commit an event is sent, how long many events to many receivers
// take, and that a receiver that never answers does not slow another one down.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { World } from "../../practice/local-service.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { type Finding, toComparedTailFinding, toCountedFinding } from "../lib/result.ts";
import { percentile95, type Samples } from "../lib/samples.ts";

export interface WebhooksSize {
  /** The events whose first attempt is timed. */
  timed: number;
  /** The events that go to all receivers. */
  burst: number;
  /** The events beside a receiver that never answers, and as many without it. */
  beside: number;
}

const receiversMax = 20;
const answersAfterMs = 50;
const firstAttemptWithinMs = 1_000;
const burstWithinMs = 10_000;
const slowedAtMost = 1.1;
const pauseMs = 25;
const roundsBeside = 40;
const pollPauseMs = 5;

/** Measures the webhooks of a service that may send to loopback addresses. */
export async function measureWebhooks(world: World, { timed, burst, beside }: WebhooksSize): Promise<Finding[]> {
  const client = createHttpClient(world.baseUrl, { authorization: `Bearer ${world.users.owner.apiKey}` });
  const receiver = await startReceiver();
  const webhooks = `/api/organizations/${world.workspaceId}/webhooks`;
  const sessions = `/api/projects/${world.projectId}/chat-sessions`;
  const read = (text: string) => JSON.parse(text).data;

  async function addWebhook(path: string): Promise<string> {
    const { text } = await client.post(webhooks, { url: `${receiver.url}${path}`, events: ["session.updated"] });
    return `${webhooks}/${read(text).webhook.id}`;
  }
  const { text } = await client.post(sessions, { title: "Measured" });
  const session = `${sessions}/${read(text).session.id}`;
  let title = 0;
  async function change(): Promise<void> {
    title += 1;
    await client.put(session, { title: `Measured ${title}` });
  }
  /** Changes the session, and returns after how long each event was at a path. */
  async function sample(path: string, count: number): Promise<Samples> {
    const before = receiver.at(path).length;
    for (let event = 0; event < count; event++) {
      await change();
      await sleep(pauseMs);
    }
    await receiver.has(path, before + count);
    return receiver.at(path).slice(before);
  }

  await addWebhook("/0");
  // The first one starts the object.
  await sample("/0", 1);
  const first = await sample("/0", timed);

  const dead = await addWebhook("/dead");
  const samples: Record<"alone" | "besideDead", Samples> = { alone: [], besideDead: [] };
  for (let round = 0; round < roundsBeside; round++) {
    const isBeside = round % 2 === 0;
    await client.patch(dead, { enabled: isBeside });
    // The first one reads the webhook again.
    await sample("/0", 1);
    const found = await sample("/0", Math.ceil((beside * 2) / roundsBeside));
    samples[isBeside ? "besideDead" : "alone"].push(...found);
  }
  await client.delete(dead);

  for (let count = 1; count < receiversMax; count++) await addWebhook(`/${count}`);
  const paths = Array.from({ length: receiversMax }, (_, place) => `/${place}`);
  const counts = paths.map((path) => receiver.at(path).length);
  const startedAt = Date.now();
  await Promise.all(Array.from({ length: burst }, change));
  await Promise.all(paths.map((path, place) => receiver.has(path, (counts[place] ?? 0) + burst)));
  const burstMs = Date.now() - startedAt;
  client.close();
  receiver.close();
  const deliveries = (burst * receiversMax).toLocaleString("en");
  return [
    toCountedFinding("p95 from a commit to its first webhook", percentile95(first), "ms", firstAttemptWithinMs),
    toCountedFinding(
      `${deliveries} deliveries to ${receiversMax} receivers of ${answersAfterMs} ms`,
      burstMs,
      "ms",
      burstWithinMs,
      `${burst} events, from the first request`,
    ),
    toComparedTailFinding(
      "p95 of a webhook beside a receiver that never answers, over one without it",
      samples.besideDead,
      samples.alone,
      slowedAtMost,
    ),
  ];
}

/** A receiver that answers after a while. On `/dead` it never answers. */
async function startReceiver() {
  const arrivals = new Map<string, Samples>();
  const held = new Set<ServerResponse>();
  const at = (path: string): Samples => arrivals.get(path) ?? [];
  const server = createServer(async (request, response) => {
    const arrivedAt = Date.now();
    const path = request.url ?? "";
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    arrivals.set(path, [...at(path), arrivedAt - Date.parse(JSON.parse(body).timestamp)]);
    if (path === "/dead") held.add(response);
    else setTimeout(() => response.writeHead(204).end(), answersAfterMs);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** After how many milliseconds each event was at a path. */
    at,
    /** Waits until as many events were at a path. */
    async has(path: string, count: number) {
      while (at(path).length < count) await sleep(pollPauseMs);
    },
    close() {
      for (const response of held) response.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
