// Webhooks: how soon after its commit an event is sent, how long many events to many receivers
// take, what CPU time a delivery costs, and that a receiver that never answers does not slow
// another one down. A delivery is one event at one receiver.
import { readdirSync, readFileSync } from "node:fs";
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
const clientsMax = 50;
/** What follows a response, such as the deletion of finished effects, takes less. */
const settleMs = 1_000;
/** The unit of the times in /proc. */
const tickMs = 10;
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

  const live = await addWebhook("/0");
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

  /** Makes many events as the clients of a workspace do, some at the same time. */
  async function changeOften(): Promise<void> {
    let left = burst;
    const client = async () => {
      for (; left > 0; left--) await change();
    };
    await Promise.all(Array.from({ length: clientsMax }, client));
  }
  await client.delete(live);
  const cpuOfEvents = await measureCpu(changeOften);

  for (let count = 0; count < receiversMax; count++) await addWebhook(`/${count}`);
  const paths = Array.from({ length: receiversMax }, (_, place) => `/${place}`);
  const counts = paths.map((path) => receiver.at(path).length);
  const startedAt = Date.now();
  let burstMs = 0;
  const cpu = await measureCpu(async () => {
    await changeOften();
    await Promise.all(paths.map((path, place) => receiver.has(path, (counts[place] ?? 0) + burst)));
    burstMs = Date.now() - startedAt;
  });
  client.close();
  receiver.close();
  const count = burst * receiversMax;
  const perSecond = Math.round((count / burstMs) * 1_000).toLocaleString("en");
  const of = `${burst.toLocaleString("en")} events, each to ${receiversMax} receivers of ${answersAfterMs} ms`;
  return [
    toCountedFinding("p95 from a commit to its first webhook", percentile95(first), "ms", firstAttemptWithinMs),
    toCountedFinding(
      `${count.toLocaleString("en")} deliveries, from the first request to the last arrival`,
      burstMs,
      "ms",
      burstWithinMs,
      `${of}: ${perSecond} deliveries a second`,
    ),
    toCountedFinding(
      "CPU of the runtime for a delivery, without that of the events",
      (cpu - cpuOfEvents) / count,
      "ms",
      null,
      "all processes of workerd, where /proc has them",
    ),
    toComparedTailFinding(
      "p95 of a webhook beside a receiver that never answers, over one without it",
      samples.besideDead,
      samples.alone,
      slowedAtMost,
    ),
  ];
}

/**
 * The CPU time of the runtime's processes meanwhile, in milliseconds. NaN where /proc is missing.
 */
async function measureCpu(work: () => Promise<void>): Promise<number> {
  await sleep(settleMs);
  const before = readRuntimeCpu();
  await work();
  await sleep(settleMs);
  return readRuntimeCpu() - before;
}

function readRuntimeCpu(): number {
  let ticks = 0;
  try {
    for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) ticks += readTicks(id);
  } catch {
    return Number.NaN;
  }
  return ticks * tickMs;
}

/** The ticks of a process of the runtime that this process has started; 0 for any other. */
function readTicks(id: string): number {
  try {
    const [, fields = ""] = readFileSync(`/proc/${id}/stat`, "utf8").split("(workerd) ");
    const [, parent, ...others] = fields.split(" ");
    return parent === String(process.pid) ? Number(others[9]) + Number(others[10]) : 0;
  } catch {
    // The process has ended.
    return 0;
  }
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
    const after = arrivedAt - Date.parse(JSON.parse(body).timestamp);
    if (arrivals.get(path)?.push(after) === undefined) arrivals.set(path, [after]);
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
