// `kill -9` of every process while messages are being sent and turns run: no accepted message is lost or run twice, no turn is stuck.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOf } from "../support/client.ts";
import { type Ledger, openLedger } from "../support/ledger.ts";
import { placesOf, restingJobs, type SentMessage, sendNamed } from "../support/message-log.ts";
import { randomSource } from "../support/random-source.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { until } from "../support/until.ts";

const sessionCount = 4;
const messagesPerSession = 5;
const rounds = [1, 2];

let world: RunningWorld;
let ledger: Ledger;
let paths: string[];
beforeAll(async () => {
  [world, ledger] = await Promise.all([createWorld(), openLedger()]);
  await world.start();
  const owner = clientOf(world.address());
  const created = Array.from({ length: sessionCount }, () => owner.createSession({ title: "Killed again and again" }));
  paths = (await Promise.all(created)).map(({ path }) => path);
});
afterAll(async () => {
  await world?.remove();
  await ledger?.close();
});

/** Sends to every session at once, one message after the other in each, until all are sent or the world is gone. */
async function sendToAll(round: number, onAccepted: (count: number) => void): Promise<SentMessage[]> {
  const owner = clientOf(world.address());
  let acceptedCount = 0;
  const sendToOne = async (path: string, session: number) => {
    const sent: SentMessage[] = [];
    for (let place = 1; place <= messagesPerSession; place++) {
      const message = await sendNamed(owner, ledger, path, `m-${session}-${round}-${place}`);
      sent.push(message);
      if (message.accepted === null) break;
      acceptedCount += 1;
      onAccepted(acceptedCount);
    }
    return sent;
  };
  return (await Promise.all(paths.map(sendToOne))).flat();
}

test.for(rounds)(
  "messages that were accepted before every process was killed run once, or are queued in order (round %i)",
  async (round) => {
    const random = randomSource(round);
    const killAfter = 1 + random.below(sessionCount * messagesPerSession);
    const killDelayMs = random.below(1_500);
    const { promise: isTime, resolve: itIsTime } = Promise.withResolvers<void>();

    const [sent] = await Promise.all([
      sendToAll(round, (count) => count === killAfter && itIsTime()),
      isTime.then(() => sleep(killDelayMs)).then(() => world.killAll()),
    ]);
    await world.start();
    await Promise.all(paths.map((path, session) => expectKept(path, sent, `m-${session}-${round}-last`)));
    for (const { name } of sent) expect(ledger.count(name)).toBeLessThanOrEqual(1);
  },
);

/** Holds a session to the promise, then resumes it and sends it one more message. */
async function expectKept(path: string, sent: SentMessage[], lastName: string): Promise<void> {
  const owner = clientOf(world.address());
  for (const { status, error } of await restingJobs(owner, path)) {
    expect(["completed", "failed"]).toContain(status);
    if (status === "failed") expect(error).toMatch(/^[A-Z].* .*\.$/);
  }
  const places = [...(await placesOf(owner, path)).keys()];
  const accepted = sent.filter((message) => message.sessionPath === path && message.accepted !== null);
  expect(places).toEqual(expect.arrayContaining(accepted.map(({ name }) => name)));
  // Run or waiting, they stand in the order they were sent in.
  expect(places).toEqual([...places].sort());

  expect((await owner.post(`${path}/queue/resume`)).status).toBe(204);
  await until("Up next to be empty", async () =>
    [...(await placesOf(owner, path)).values()].every((id) => id !== null),
  );
  const last = await sendNamed(owner, ledger, path, lastName);
  expect(last.accepted).not.toBeNull();

  const statuses = new Map((await restingJobs(owner, path)).map(({ id, status }) => [id, status]));
  for (const [name, jobId] of await placesOf(owner, path)) {
    const ran = { name, status: statuses.get(jobId ?? ""), times: ledger.count(name) };
    // A turn that was cut off may have come to its command or not.
    const times = ran.status === "failed" ? Math.min(ran.times, 1) : 1;
    expect(ran).toEqual({
      name,
      status: name === lastName ? "completed" : expect.stringMatching(/^(completed|failed)$/),
      times,
    });
  }
}
