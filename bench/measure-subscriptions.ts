// Subscriptions: a warm turn on one of five logins, of which four are at their limit, beside one on the workspace's key; what a model call asks
// of the database and of objects; and the list of subscriptions.
import type { World } from "../dev/world.ts";
import type { Bare } from "./bare.ts";
import { type Counts, countsOf, difference } from "./counting-bindings.ts";
import { compared, counted, type Finding } from "./finding.ts";
import { openHttpClient } from "./http-client.ts";
import { shortTurn, threeToolTurn } from "./practice-turn.ts";
import { jobIdOf, openProduct, type ProductSession } from "./product.ts";
import { type Rounds, sideBySide } from "./samples.ts";

export interface SubscriptionsSize {
  turns: number;
  reads: Rounds;
}

const turnBar = 1.05;
const readBar = 1.5;
/** One before the call and, for its usage, one behind it. */
const perCall = 2;
/** Access, and the list. */
const perRead = 2;
/** How many model calls a three-tool turn has more than a short one. */
const moreCalls = 3;

const model = "zai:glm__high";
const path = "/api/user/subscriptions";

/** Measures warm turns and reads. The logins are disconnected again. */
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
      await session.completed(jobIdOf(await session.send(threeToolTurn)));
      const ms = performance.now() - startedAt;
      await session.settled();
      return ms;
    };
    const warm = await sideBySide(
      { warmUp: 2, count: turns },
      { own: () => turn(subscriber), peer: () => turn(onWorkspace) },
    );
    const { text } = await client.get(path);
    const { id } = JSON.parse((await bare.notes.make(text)).text).data;
    const read = await sideBySide(reads, {
      own: async () => (await client.get(path)).ms,
      bare: async () => (await bare.notes.read(id)).ms,
    });
    return [
      compared(
        "warm three-tool turn on a subscription of five, against the workspace's key",
        warm.own,
        warm.peer,
        turnBar,
      ),
      compared("GET subscriptions, against a bare route with two round trips", read.own, read.bare, readBar),
    ];
  } finally {
    await opened.close();
  }
}

/** Counts what a model call asks on one login and on five, and a read of the list, in a world with counting bindings. */
export async function countSubscriptions(world: World, { total }: { total(): Promise<Counts> }): Promise<Finding[]> {
  const opened = await open(world);
  const { client, subscriber, onWorkspace } = opened;
  const cost = async (session: ProductSession, content: string) => {
    const before = await total();
    await session.send(content);
    await session.ended();
    await session.settled();
    return difference(await total(), before);
  };
  const ofCalls = async (session: ProductSession) => {
    await cost(session, shortTurn);
    const [short, long] = [await cost(session, shortTurn), await cost(session, threeToolTurn)];
    const { roundTrips, objectCalls } = difference(long, short);
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
        counted(`model call on ${what}: D1 round trips`, roundTrips, "times", perCall),
        counted(`model call on ${what}: object calls`, objectCalls, "times", perCall),
      );
    }
    const { roundTrips } = countsOf(await client.get(path));
    return [...findings, counted("GET subscriptions: D1 round trips", roundTrips, "times", perRead)];
  } finally {
    await opened.close();
  }
}

/** A session of the owner, who holds five logins, and one of an admin, who holds none. Both sandboxes run. */
async function open(world: World) {
  const [owner, admin] = [openProduct(world), openProduct(world, "admin")];
  const client = openHttpClient(world.baseUrl, owner.headers);
  for (const end of ["limit-1", "limit-2", "limit-3", "limit-4", "good"])
    await client.put(`${path}/zai`, { apiKey: `sk-practice-${end}-0123456789abcdef` });
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
