// Notifications to devices: how soon after the turn's end one is sent, when the last of many
// devices has it, and that the turn does not wait for it.
import type { World } from "../../practice/local-service.ts";
import type { Counts } from "../lib/counts.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { askingTurn } from "../lib/practice-turn.ts";
import { createProductClient, getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding, toCountedFinding, toTimedFinding } from "../lib/result.ts";
import type { Samples } from "../lib/samples.ts";
import type { Bench } from "../lib/saved-work.ts";

export interface NotificationsSize {
  devices: number;
  turns: number;
}

const leavesWithinMs = 2_000;
const allHaveItWithinMs = 3_000;
/**
 * The machine's load changes the ratio by a few percent. For a turn that waited for its devices, it
 * would be far higher.
 */
const waitsForNothing = 1.2;
/**
 * The notification is stored, its devices are looked up, and it is deleted: as many calls for many
 * devices as for one.
 */
const perNotice = 3;
const pollPauseMs = 20;

/**
 * Measures turns that ask. Turns that notify devices and turns that notify nobody alternate, so
 * that the machine's load affects both.
 */
export async function measureNotifications(
  { world, product }: Bench,
  { devices, turns }: NotificationsSize,
): Promise<Finding[]> {
  const phones = createPhones(world, devices);
  const { session } = await product.create(askingTurn);
  await session.ended();
  const samples = { leaves: [], lastHasIt: [], told: [], untold: [] } satisfies Record<string, Samples>;
  const add = (name: keyof typeof samples, ms: number) => (samples[name] as number[]).push(ms);
  for (let turn = 0; turn < turns; turn++) {
    add("untold", (await askedTurn(session)).ms);
    await phones.register();
    const { jobId, ms, endedAt } = await askedTurn(session);
    const receivedAt = await phones.received(jobId);
    add("told", ms);
    add("leaves", Math.min(...receivedAt) - endedAt);
    add("lastHasIt", Math.max(...receivedAt) - endedAt);
    await phones.remove();
  }
  phones.close();
  const many = devices.toLocaleString("en");
  return [
    toTimedFinding("a notification leaves after the turn's end", samples.leaves, leavesWithinMs),
    toTimedFinding(`a notification is on the last of ${many} devices`, samples.lastHasIt, allHaveItWithinMs),
    toComparedFinding(
      `a turn that notifies ${many} devices, over one that notifies nobody`,
      samples.told,
      samples.untold,
      waitsForNothing,
    ),
  ];
}

/**
 * Counts the database calls of a notification to many devices. `total` reads the counts of a world
 * with counting bindings.
 */
export async function countNotifications(
  world: World,
  { devices }: Pick<NotificationsSize, "devices">,
  total: () => Promise<Counts>,
): Promise<Finding[]> {
  const phones = createPhones(world, devices);
  const product = createProductClient(world);
  const { session } = await product.create(askingTurn);
  await session.ended();

  /** The round trips of a turn, including its notification. */
  async function roundTrips(isTold: boolean): Promise<number> {
    await session.settled();
    const before = (await total()).roundTrips;
    const { jobId } = await askedTurn(session);
    if (isTold) await phones.received(jobId);
    await phones.settled();
    await session.settled();
    return (await total()).roundTrips - before;
  }

  // A sweep of the scheduler may coincide with one of them.
  const untold = Math.min(await roundTrips(false), await roundTrips(false), await roundTrips(false));
  await phones.register();
  const told = Math.min(await roundTrips(true), await roundTrips(true), await roundTrips(true));
  await phones.remove();
  phones.close();
  product.close();
  // A turn that notifies nobody has made one call to look for devices.
  return [
    toCountedFinding(`D1 round trips of a notification to ${devices} devices`, 1 + told - untold, "times", perNotice),
  ];
}

/** A turn that ends with a question: how long it took, and when it ended. */
async function askedTurn(session: ProductSession): Promise<{ jobId: string; ms: number; endedAt: number }> {
  const jobId = getJobId(await session.send(askingTurn));
  for (;;) {
    const { job } = JSON.parse((await session.job(jobId)).text).data;
    const [createdAt, endedAt] = [Date.parse(job.createdAt), Date.parse(job.completedAt)];
    if (job.status === "awaiting_response") return { jobId, ms: endedAt - createdAt, endedAt };
    if (job.status !== "pending" && job.status !== "running") throw new Error(`a measured turn ended ${job.status}`);
    await sleep(pollPauseMs);
  }
}

/** The phones of the owner, and what the practice push service received for them. */
function createPhones(world: World, count: number) {
  const client = createHttpClient(world.baseUrl, { authorization: `Bearer ${world.users.owner.apiKey}` });
  const pushService = createHttpClient(world.pushUrl);
  const receivedPath = `${new URL(world.pushUrl).pathname}/received`;
  const phone = { bundleId: "com.example.app", environment: "sandbox", platform: "ios" };
  const tokens = Array.from({ length: count }, () => crypto.randomUUID().replaceAll("-", ""));
  const left = world.database.prepare("SELECT count(*) AS left FROM push_notices");
  return {
    async register() {
      await Promise.all(tokens.map((token) => client.post("/api/push/devices", { ...phone, token: `c0${token}` })));
    },
    async remove() {
      await world.database.prepare("DELETE FROM push_devices").run();
    },
    /** Waits until each phone has the notification of a turn. Returns the time for each. */
    async received(jobId: string): Promise<number[]> {
      for (;;) {
        const { received } = JSON.parse((await pushService.get(receivedPath)).text) as { received: Received[] };
        const ofTurn = received.filter(({ payload }) => payload.chatJobId === jobId);
        if (ofTurn.length === count) return ofTurn.map(({ receivedAt }) => Date.parse(receivedAt));
        await sleep(pollPauseMs);
      }
    },
    /** Waits until no notification is pending. */
    async settled() {
      while ((await left.first<number>("left")) !== 0) await sleep(pollPauseMs);
    },
    close() {
      client.close();
      pushService.close();
    },
  };
}

interface Received {
  receivedAt: string;
  payload: { chatJobId: string | null };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
