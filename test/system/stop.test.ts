// A stop is real: whatever a turn was doing, it ends, nothing of it runs on, and the session takes
// the next message.
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, createClient, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { type Ledger, openLedger } from "../support/ledger.ts";
import { isAlive, listProcesses, readCommand } from "../support/process-tree.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { until } from "../support/until.ts";

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

function pushedBranches(): string[] {
  const repository = `${world.stateDir}/forge/repositories/acme/demo-app.git`;
  const env = { PATH: process.env.PATH ?? "", HOME: world.stateDir };
  const listed = execFileSync("git", ["--git-dir", repository, "for-each-ref", "--format=%(refname)"], { env });
  return listed.toString().trim().split("\n");
}

const modelMs = 5_000;
/** Longer than what a stopped turn was about to do, once it might continue. */
const findLateMs = (name: string) => (name === "model" ? modelMs : 0) + 1_000;

/** A step is a ledger's entry, and `wait` is a command that ends once the turn was stopped. */
type Steps = (entry: (line: string) => string, wait: string) => Record<string, unknown>[];
const stopped: [what: string, name: string, steps: Steps][] = [
  [
    "waits for the model",
    "model",
    (entry) => [{ bash: entry("model begun") }, { sleep: modelMs }, { bash: entry("model late") }],
  ],
  [
    "waits long for the model",
    "long-model",
    (entry) => [{ bash: entry("long-model begun") }, { sleep: 20_000 }, { bash: entry("long-model late") }],
  ],
  [
    "runs a command",
    "command",
    (entry, wait) => [{ bash: `${entry("command begun")}; ${wait}; ${entry("command late")}` }],
  ],
  [
    "runs a command behind itself",
    "background",
    (entry, wait) => [{ bash: `(${wait}; ${entry("background late")}) & ${entry("background begun")}; sleep 60` }],
  ],
  [
    "runs a command in a session of its own",
    "setsid",
    (entry, wait) => [
      { bash: `setsid bash -c '${wait}; ${entry("setsid late")}' & ${entry("setsid begun")}; setsid -w sleep 60` },
    ],
  ],
  [
    "is about to push",
    "push",
    (entry, wait) => [
      {
        bash: `git commit -q --allow-empty -m late; ${entry("push begun")}; ${wait}; git push -q origin HEAD; ${entry("push late")}`,
      },
    ],
  ],
];

test.for(stopped)("a turn that %s is stopped, and nothing of it follows", async ([, name, steps]) => {
  const gate = await closedGate();
  const content = script(...steps(ledger.entry, gate.command), { say: "never said" });
  const { path, jobId, id } = await owner.createSession({ content });
  const waits = await owner.send(path, script({ say: "my turn" }));
  expect(waits.body.data.delivery).toBe("queued");
  await until("the turn to be under way", () => ledger.count(`${name} begun`) === 1);
  const sandboxKey = await owner.getSandboxKey(id);
  const inProject = () => listProcesses(`${world.stateDir}/sandboxes/${sandboxKey}/project`);
  const ofTurn = inProject().filter((process) => readCommand(process) !== "node server.js");

  const cancelled = await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
  expect([cancelled.status, cancelled.body.data.cancelled]).toEqual([200, 1]);
  const job = await owner.jobUntil(path, jobId);
  expect(job.status).toBe("cancelled");
  expect(ofTurn.filter(isAlive).map(readCommand)).toEqual([]);
  expect(await owner.upNext(path)).toMatchObject({
    messages: [{ id: waits.body.data.queuedMessageId }],
    paused: { reason: "cancelled" },
  });
  const told = await owner.messages(path);

  gate.open();
  await sleep(findLateMs(name));
  // The program saves the work of the turn with git, which takes a moment.
  await expect.poll(() => inProject().map(readCommand)).toEqual(["node server.js"]);
  expect(ledger.count(`${name} late`)).toBe(0);
  expect(await owner.messages(path)).toEqual(told);
  expect(pushedBranches()).toEqual(["refs/heads/main"]);

  expect((await owner.run(path, { say: "later" })).status).toBe("completed");
  await until("Up next to go on", async () => (await owner.upNext(path)).messages.length === 0);
});
