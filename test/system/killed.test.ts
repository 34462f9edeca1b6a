// `kill -9` of every process while messages are being sent and turns run: no accepted message is
// lost or run twice, no turn is stuck. A running run of a cron fails with a reason, its slot fires
// no second one, and the next fire runs.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient, type Step, script } from "../support/client.ts";
import { type Ledger, openLedger } from "../support/ledger.ts";
import { readPlaces, restingJobs, type SentMessage, sendNamed } from "../support/message-log.ts";
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
  [world, ledger] = await Promise.all([createWorld({ sharesNetwork: true }), openLedger()]);
  await world.start();
  const owner = createClient(world.address());
  const phone = { token: "c0ffee00".repeat(4), bundleId: "com.example.app", environment: "sandbox", platform: "ios" };
  expect((await owner.post("/api/push/devices", phone)).status).toBe(204);
  const created = Array.from({ length: sessionCount }, () => owner.createSession({ title: "Killed again and again" }));
  paths = (await Promise.all(created)).map(({ path }) => path);
});
afterAll(async () => {
  await world?.remove();
  await ledger?.close();
});

/**
 * Sends to every session concurrently, one message after the other in each, until all are sent or
 * the world is gone.
 */
async function sendToAll(round: number, onAccepted: (count: number) => void): Promise<SentMessage[]> {
  const owner = createClient(world.address());
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
    const run = await fireCron();
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
    await run.expectFailed();
  },
);

/** Fires a cron whose agent would work for long. */
async function fireCron() {
  const prompt = (...steps: Step[]) => ({ prompt: script(...steps) });
  const { workspaceId, projectId } = world.address();
  const crons = `/api/organizations/${workspaceId}/crons`;
  const draft = { name: "Killed", projectIds: [projectId], cronExpression: "0 3 * * *" };
  const ask = () => createClient(world.address());
  const made = (await ask().post(crons, { ...draft, ...prompt({ sleep: 600_000 }, { say: "never said" }) })).body.data;
  const cron = `${crons}/${made.id}`;
  const fire = async () => (await ask().post(`/dev/crons/${made.id}/due`, { slot: made.nextRunAt })).body.data.runs;
  const over = (runId: string) =>
    until("the run to be over", async () => {
      const { data } = (await ask().get(`${cron}/runs/${runId}`)).body;
      return data.status !== "running" && data;
    });
  const [{ runId }] = await fire();
  const phases = async () => (await ask().get(`${cron}/runs/${runId}/diagnostics`)).body.data.phases;
  await until("the agent of the run to work", async () => (await phases()).firstEventAt !== null);
  return {
    /** Its creator is notified, once, by the world that came after. */
    async expectFailed(): Promise<void> {
      expect(await over(runId)).toMatchObject({ status: "failed", error: expect.stringMatching(/^[A-Z].* .*\.$/) });
      const [notice] = await until("the creator to be told", async () => {
        const told = await readNotifications(runId);
        return told.length > 0 && told;
      });
      expect(notice).toMatchObject({ times: 1, payload: { kind: "cron_run_failed" } });
      expect(await fire()).toMatchObject([{ runId }]);
      expect((await ask().patch(cron, prompt({ say: "Went on." }))).status).toBe(200);
      const [next] = (await ask().post(`${cron}/run`, {})).body.data.runs;
      expect(await over(next.runId)).toMatchObject({ status: "succeeded", summary: "Went on." });
      expect((await ask().get(`${cron}/runs`)).body.data.total).toBe(2);
    },
  };
}

/** What the practice push service has received of the failure of a run. */
async function readNotifications(runId: string): Promise<{ payload: { runId: string | null } }[]> {
  const { received } = (await (await fetch(`${world.address().pushUrl}/received`)).json()) as {
    received: { payload: { runId: string | null } }[];
  };
  return received.filter(({ payload }) => payload.runId === runId);
}

/** Holds a session to the promise, then resumes it and sends it one more message. */
async function expectKept(path: string, sent: SentMessage[], lastName: string): Promise<void> {
  const owner = createClient(world.address());
  for (const { status, error } of await restingJobs(owner, path)) {
    expect(["completed", "failed"]).toContain(status);
    if (status === "failed") expect(error).toMatch(/^[A-Z].* .*\.$/);
  }
  const places = [...(await readPlaces(owner, path)).keys()];
  const accepted = sent.filter((message) => message.sessionPath === path && message.accepted !== null);
  expect(places).toEqual(expect.arrayContaining(accepted.map(({ name }) => name)));
  // Run or queued, they are in the order in which they were sent.
  expect(places).toEqual([...places].sort());

  expect((await owner.post(`${path}/queue/resume`)).status).toBe(204);
  await until("Up next to be empty", async () =>
    [...(await readPlaces(owner, path)).values()].every((id) => id !== null),
  );
  const last = await sendNamed(owner, ledger, path, lastName);
  expect(last.accepted).not.toBeNull();

  const statuses = new Map((await restingJobs(owner, path)).map(({ id, status }) => [id, status]));
  for (const [name, jobId] of await readPlaces(owner, path)) {
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
