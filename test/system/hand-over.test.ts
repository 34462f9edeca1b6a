// Between a message's 201 and its turn's first event, only the service or only the sandbox's
// program is killed: the turn is still handed over, and its command runs once.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, createClient, script } from "../support/client.ts";
import { type Ledger, openLedger } from "../support/ledger.ts";
import { sendNamed } from "../support/message-log.ts";
import { signalAll } from "../support/process-tree.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { until } from "../support/until.ts";

const sessionCount = 4;

let world: RunningWorld;
let ledger: Ledger;
let owner: Client;
beforeAll(async () => {
  [world, ledger] = await Promise.all([createWorld({ sharesNetwork: true }), openLedger()]);
  await world.start();
  owner = createClient(world.address());
});
afterAll(async () => {
  await world?.remove();
  await ledger?.close();
});

/** Sessions whose sandboxes run and have nothing to do. */
async function warmSessions() {
  const first = { title: "Handed over", content: "Hello." };
  const sessions = await Promise.all(Array.from({ length: sessionCount }, () => owner.createSession(first)));
  for (const { path, jobId } of sessions) await owner.jobUntil(path, jobId);
  return sessions;
}

/** Every message that was sent has run once. */
async function expectRunOnce(sent: Awaited<ReturnType<typeof sendNamed>>[]): Promise<void> {
  const ran = await Promise.all(
    sent.map(async ({ name, sessionPath, accepted }) => {
      if (accepted === null || !("jobId" in accepted)) throw new Error(`${name} started no turn`);
      const { status, error } = await owner.jobUntil(sessionPath, accepted.jobId);
      return { name, status, error, times: ledger.count(name) };
    }),
  );
  expect(ran).toEqual(sent.map(({ name }) => ({ name, status: "completed", error: null, times: 1 })));
}

test("the service is killed after its responses: the turns run once when it is back", async () => {
  const sessions = await warmSessions();
  for (const delayMs of [0, 15, 60]) {
    const send = (path: string, at: number) => sendNamed(owner, ledger, path, `service-${delayMs}-${at}`);
    const sent = await Promise.all(sessions.map(({ path }, at) => send(path, at)));
    await sleep(delayMs);
    await world.killRuntime();
    await expectRunOnce(sent);
  }
});

test("the service is killed during a model call: the turn continues, and says and does everything once", async () => {
  const content = script({ say: "First." }, { bash: ledger.entry("asked") }, { sleep: 2_000 }, { say: "Then." });
  const { path, jobId } = await owner.createSession({ content });
  await until("the question behind the command", () => ledger.count("asked") > 0);
  await world.killRuntime();
  expect(await owner.jobUntil(path, jobId)).toMatchObject({ status: "completed", error: null });
  expect(await owner.listBlocks(path, jobId)).toMatchObject([
    { type: "text", content: "First." },
    { type: "tool", status: "completed" },
    { type: "text", content: "Then." },
  ]);
  expect(ledger.count("asked")).toBe(1);
});

test("the program is killed after the response: a turn that had not started runs once in the next sandbox", async () => {
  const sessions = await warmSessions();
  const ran = await Promise.all(
    sessions.map(async ({ id, path }, at) => {
      const sandboxKey = await owner.getSandboxKey(id);
      const program = world.sandboxProcesses(sandboxKey).slice(0, 1);
      const { name, accepted } = await sendNamed(owner, ledger, path, `program-${at}`);
      await sleep(at * 3);
      signalAll(program, "SIGKILL");
      if (accepted === null || !("jobId" in accepted)) throw new Error(`${name} started no turn`);
      const { status, error } = await owner.jobUntil(path, accepted.jobId);
      return { status, error, times: ledger.count(name) };
    }),
  );
  for (const { status, error, times } of ran) {
    // One that was killed so late that its turn had started is not run again.
    if (status === "failed") {
      expect(error).toMatch(/^The sandbox stopped while the turn was running\./);
      expect(times).toBeLessThanOrEqual(1);
    } else expect([status, error, times]).toEqual(["completed", null, 1]);
  }
});
