// Subscriptions: a warm turn on one of five logins, of which four are at their limit, compared with
// one on the workspace's key; a turn whose first login reaches its limit; what a model call asks of
// the database and of objects; and the list of subscriptions.
import type { World } from "../../practice/local-service.ts";
import type { Bare } from "../lib/bare.ts";
import type { CountReader } from "../lib/count-reader.ts";
import { getDifference, readCounts } from "../lib/counts.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { shortTurn, threeToolTurn } from "../lib/practice-turn.ts";
import { createProductClient, getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding, toCountedFinding, toTimedFinding } from "../lib/result.ts";
import { measureSideBySide, median, type Rounds } from "../lib/samples.ts";

export interface SubscriptionsSize {
  turns: number;
  reads: Rounds;
}

const turnBar = 1.05;
const readBar = 1.5;
/** For a failover, in addition to the time that the provider takes to refuse. */
const failoverBarMs = 15;
/**
 * One before the call. The usage of the call is reported in that object call, and to the database
 * with the end of the turn.
 */
const perCall = 1;
/** The query for access, and the list. */
const perRead = 2;
/** How many more model calls a three-tool turn has than a short one. */
const moreCalls = 3;

const model = "zai:glm__high";
const toKey = (end: string) => `sk-practice-${end}-0123456789abcdef`;
const limitedKey = toKey("limit-1");
const path = "/api/user/subscriptions";

/** Measures warm turns and reads. Disconnects the logins afterwards. */
export async function measureSubscriptions(
  world: World,
  bare: Bare,
  { turns, reads }: SubscriptionsSize,
): Promise<Finding[]> {
  const opened = await open(world);
  const { client, subscriber, onWorkspace } = opened;
  try {
    const turn = async (session: ProductSession) => {
      const startedAt = performance.now();
      await session.completed(getJobId(await session.send(threeToolTurn)));
      const ms = performance.now() - startedAt;
      await session.settled();
      return ms;
    };
    const warm = await measureSideBySide(
      { warmUp: 2, count: turns },
      { own: () => turn(subscriber), peer: () => turn(onWorkspace) },
    );
    const failover = await measureFailover(world, subscriber, turns);
    const { text } = await client.get(path);
    const { id } = JSON.parse((await bare.notes.make(text)).text).data;
    const read = await measureSideBySide(reads, {
      own: async () => (await client.get(path)).ms,
      bare: async () => (await bare.notes.read(id)).ms,
    });
    return [
      toComparedFinding(
        "warm three-tool turn on a subscription of five, against the workspace's key",
        warm.own,
        warm.peer,
        turnBar,
      ),
      failover,
      toComparedFinding("GET subscriptions, against a bare route with two round trips", read.own, read.bare, readBar),
    ];
  } finally {
    await opened.close();
  }
}

/**
 * The additional time of a turn with one model call if its first login reaches its limit, minus the
 * time of the provider's own refusal.
 */
async function measureFailover(world: World, session: ProductSession, count: number): Promise<Finding> {
  const turn = async () => {
    const startedAt = performance.now();
    await session.completed(getJobId(await session.send(shortTurn)));
    const ms = performance.now() - startedAt;
    await session.settled();
    return ms;
  };
  const first = `owner_id = '${world.users.owner.id}' AND place =
    (SELECT min(place) FROM provider_logins WHERE owner_id = '${world.users.owner.id}')`;
  const isMarked = world.database.prepare(
    `SELECT exhausted_until IS NOT NULL AS marked FROM provider_logins WHERE ${first}`,
  );
  const sides = {
    refused: () => refusal(world),
    failing: async () => {
      // The first login is at its limit, but the service does not know it.
      await world.database.prepare(`UPDATE provider_logins SET exhausted_until = NULL WHERE ${first}`).run();
      const ms = await turn();
      if ((await isMarked.first<number>("marked")) !== 1) throw new Error("the turn did not ask the limited login");
      return ms;
    },
    good: turn,
  };
  const { refused, failing, good } = await measureSideBySide({ warmUp: 2, count }, sides);
  const ms = failing.map((one) => one - median(good) - median(refused));
  return toTimedFinding("failover to the next login, over the provider's refusal", ms, failoverBarMs);
}

/** The time that the provider takes to refuse a call with a key at its limit. */
async function refusal({ providerUrl }: World): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${providerUrl}/zai/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": limitedKey, "content-type": "application/json" },
    body: JSON.stringify({ model: "glm", max_tokens: 1, messages: [{ role: "user", content: "Hello." }] }),
  });
  await answer.arrayBuffer();
  if (answer.ok) throw new Error("the limited key was taken");
  return performance.now() - startedAt;
}

/**
 * Counts the calls of a model call on one login and on five, and of a read of the list, in a world
 * with counting bindings.
 */
export async function countSubscriptions(world: World, reader: CountReader): Promise<Finding[]> {
  const opened = await open(world);
  const { client, subscriber, onWorkspace } = opened;
  const cost = async (session: ProductSession, content: string) => {
    const before = await reader.quietTotal();
    await session.send(content);
    await session.ended();
    await session.settled();
    return getDifference(await reader.quietTotal(), before);
  };
  const ofCalls = async (session: ProductSession) => {
    await cost(session, shortTurn);
    const [short, long] = [await cost(session, shortTurn), await cost(session, threeToolTurn)];
    const { roundTrips, objectCalls } = getDifference(long, short);
    return { roundTrips: roundTrips / moreCalls, objectCalls: objectCalls / moreCalls };
  };
  try {
    const findings: Finding[] = [];
    for (const [what, session] of [
      ["the workspace's key", onWorkspace],
      ["one of five logins", subscriber],
    ] as const) {
      const { roundTrips, objectCalls } = await ofCalls(session);
      findings.push(
        toCountedFinding(`model call on ${what}: D1 round trips`, roundTrips, "times", perCall),
        toCountedFinding(`model call on ${what}: object calls`, objectCalls, "times", perCall),
      );
    }
    const { roundTrips } = readCounts(await client.get(path));
    return [...findings, toCountedFinding("GET subscriptions: D1 round trips", roundTrips, "times", perRead)];
  } finally {
    await opened.close();
  }
}

/**
 * Opens a session of the owner, who has five logins, and one of an admin, who has none. Both
 * sandboxes run.
 */
async function open(world: World) {
  const [owner, admin] = [createProductClient(world), createProductClient(world, "admin")];
  const client = createHttpClient(world.baseUrl, owner.headers);
  for (const end of ["limit-1", "limit-2", "limit-3", "limit-4", "good"])
    await client.put(`${path}/zai`, { apiKey: toKey(end) });
  const begin = async (product: typeof owner) => {
    const { session, jobId } = await product.create(shortTurn, { model });
    await session.completed(jobId);
    await session.settled();
    return session;
  };
  const [subscriber, onWorkspace] = [await begin(owner), await begin(admin)];
  return {
    client,
    subscriber,
    onWorkspace,
    async close() {
      await client.delete(`${path}/zai`);
      client.close();
      owner.close();
      admin.close();
    },
  };
}
