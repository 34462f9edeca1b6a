// `kill -9` of every process while a turn is followed: a subscriber that returns with the last
// event it saw misses nothing and gets nothing twice.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient, script } from "../support/client.ts";
import { openStream } from "../support/event-stream.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { until } from "../support/until.ts";

let world: RunningWorld;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
});
afterAll(async () => {
  await world?.remove();
});

test("a subscriber resumes after all processes were killed, with exactly the missing events", async () => {
  const owner = createClient(world.address());
  const { baseUrl, users } = world.address();
  const headers = { authorization: `Bearer ${users.owner.apiKey}` };
  const steps = Array.from({ length: 20 }, (_, place) => [{ say: `Number ${place}.` }, { bash: "sleep 0.2" }]);
  const { path, jobId } = await owner.createSession({ content: script(...steps.flat(), { say: "Done." }) });

  const stream = await openStream(baseUrl, `${path}/events`, headers);
  await until("a few blocks", () => stream.events.filter(({ event }) => event === "block").length > 6);
  await world.killAll();
  await world.start();

  await stream.reconnect();
  const end = await stream.received("end");
  expect(JSON.parse(end.data).jobId).toBe(jobId);
  const late = await openStream(baseUrl, `/api/streams/${jobId}`, headers);
  await until("the late stream to end", late.isOver);
  // The steps of a start have no id, and are for those who wait for it.
  const ofTurn = stream.events.filter(({ id, event }) => id !== "" && event !== "session" && event !== "queue");
  expect(ofTurn).toEqual(late.events);
  stream.leave();
});
