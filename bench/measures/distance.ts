// Requests and turns with distances between the client, the Worker, the objects and the database:
// with the Worker near its visitor, and with the Worker at the database.
import type { World } from "../../practice/local-service.ts";
import type { DistanceRow, Place } from "../lib/distance-figures.ts";
import type { Distances } from "../lib/distances.ts";
import { startDistance } from "../lib/distant-visitor.ts";
import { createEventListener, type EventListener } from "../lib/event-listener.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { shortTurn } from "../lib/practice-turn.ts";
import { createProductClient, getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toTimedFinding } from "../lib/result.ts";
import { median, type Samples } from "../lib/samples.ts";

interface Ways extends Distances {
  /** Between the client and the Worker. */
  client: number;
}

/**
 * The times of the ways, there and back, in milliseconds. An object is created near the Worker that
 * first calls it. With the Worker at the database, requests of the client travel there.
 */
const ways: Record<Place, Ways> = {
  nowhere: { client: 0, database: 0, objectDatabase: 0, object: 0 },
  visitor: { client: 80, database: 150, objectDatabase: 150, object: 30 },
  database: { client: 80 + 150, database: 5, objectDatabase: 30, object: 30 },
};

/** Timers of the ways fire late on a machine that is busy. */
const timersMs = 20;
const twoWays = "one to the database, one to the object";
/** The service's own time is added to it. On two idle cores, that is less than a quarter. */
const firstWordsWaysBarMs = 320;
const firstWordsBarMs = 400;

const titles = {
  send: "Send that starts a turn",
  poll: "Poll of a job",
  messages: "Read of the messages",
  firstWords: "First words of the model after the response to a send",
};
type Name = keyof typeof titles;
const names = Object.keys(titles) as Name[];
const places = Object.keys(ways) as Place[];
const emptySamples = (): Record<Name, Samples> => ({ send: [], poll: [], messages: [], firstWords: [] });

/** Measures a warm session from each place. Also returns the rows of the table in the docs. */
export async function measureDistance(
  world: World,
  samples: number,
): Promise<{ findings: Finding[]; distances: DistanceRow[] }> {
  const control = createHttpClient(world.baseUrl);
  const distance = await startDistance(world.baseUrl);
  const far = { ...world, baseUrl: distance.baseUrl };
  const [near, product] = [createProductClient(world), createProductClient(far)];
  const setWays = async ({ client, ...others }: Ways) => {
    await control.get(`/distances?${new URLSearchParams(Object.entries(others).map(([name, ms]) => [name, `${ms}`]))}`);
    distance.set(client);
  };
  await setWays(ways.visitor);
  let events: EventListener | null = null;
  try {
    const { session: first, jobId } = await near.create(shortTurn);
    await first.completed(jobId);
    await first.settled();
    const session = product.open(first.id);
    events = createEventListener(`${far.baseUrl}${session.path}/events`, product.headers);
    const measured = { nowhere: emptySamples(), visitor: emptySamples(), database: emptySamples() };
    for (let round = 0; round <= samples; round++) {
      // Alternately, so that other load on the machine affects all places equally.
      for (const place of places) {
        await setWays(ways[place]);
        const sampled = await sample(session, events);
        // The first round warms up.
        if (round > 0) for (const name of names) measured[place][name].push(sampled[name]);
      }
    }
    await setWays(ways.nowhere);
    return toResult(measured);
  } finally {
    events?.leave();
    for (const client of [control, near, product, distance]) client.close();
  }
}

async function sample(session: ProductSession, events: EventListener): Promise<Record<Name, number>> {
  const send = await session.send(shortTurn);
  const sentAt = performance.now();
  const jobId = getJobId(send);
  await events.heard("event: block", '"role":"assistant"', jobId);
  const firstWords = performance.now() - sentAt;
  await session.completed(jobId);
  await session.settled();
  const [poll, messages] = [await session.job(jobId), await session.messages()];
  return { send: send.ms, poll: poll.ms, messages: messages.ms, firstWords };
}

function toResult(measured: Record<Place, Record<Name, Samples>>): { findings: Finding[]; distances: DistanceRow[] } {
  const of = (place: Place, name: Name) => median(measured[place][name]);
  const distances = names.map((name) => ({
    what: titles[name],
    ...{ nowhere: of("nowhere", name), visitor: of("visitor", name), database: of("database", name) },
  }));
  const findings = (["visitor", "database"] as const).flatMap((place) => {
    const { client, database, object } = ways[place];
    return names.flatMap((name) => {
      const title = `${titles[name].toLowerCase()}, the Worker at the ${place}`;
      const own = measured.nowhere[name];
      const further = measured[place][name].map((ms, at) => ms - (own[at] ?? 0));
      const ofService = `${title}: the service's ways`;
      if (name !== "firstWords")
        return [
          toTimedFinding(
            ofService,
            further.map((ms) => ms - client),
            database + object + timersMs,
            twoWays,
          ),
        ];
      // The response to the send takes as long to the client as these words.
      return [
        toTimedFinding(ofService, further, firstWordsWaysBarMs),
        toTimedFinding(title, measured[place][name], firstWordsBarMs, "the service's own time included"),
      ];
    });
  });
  return { findings, distances };
}
