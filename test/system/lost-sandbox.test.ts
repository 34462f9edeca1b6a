// A sandbox that dies or freezes under a turn: the turn ends with a reason, and the session
// continues in a new sandbox with the work that earlier turns had saved.
import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, createClient, script } from "../support/client.ts";
import { isAlive, type Process, readCommand, signalAll } from "../support/process-tree.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { until } from "../support/until.ts";

let world: RunningWorld;
let owner: Client;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
  owner = createClient(world.address());
});
afterAll(async () => world?.remove());

/** True once the store holds work of a sandbox: its keys begin with the sandbox's. */
async function isSaved(sandboxKey: string): Promise<boolean> {
  const folder = `${world.stateDir}/cloudflare/r2`;
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.sqlite(-wal)?$/.test(name));
  // A journal that is full is deleted.
  const texts = await Promise.all(names.map((name) => readFile(`${folder}/${name}`, "latin1").catch(() => "")));
  return texts.some((text) => text.includes(`sandboxes/${sandboxKey}/`));
}

/**
 * A session whose first turn wrote a file, which is saved, and whose second turn is running a shell
 * command.
 */
async function sessionAtWork() {
  const session = await owner.createSession({ content: script({ write: { path: "kept.txt", content: "kept work" } }) });
  await owner.jobUntil(session.path, session.jobId);
  const sandboxKey = await owner.getSandboxKey(session.id);
  await until("the first turn's work to be saved", () => isSaved(sandboxKey));
  const content = script({ bash: "sleep 600" }, { say: "never said" });
  const jobId: string = (await owner.send(session.path, content)).body.data.chatJobId;
  const processes = await until("the turn's command", () => {
    const found = world.sandboxProcesses(sandboxKey);
    return found.some((process) => readCommand(process) === "sleep 600") && found;
  });
  const [program] = processes;
  if (!program || !readCommand(program).endsWith("/sandbox.cjs")) throw new Error("The sandbox has no program.");
  return { ...session, jobId, program, processes };
}

/** The next message runs, and finds the work of the first turn. */
async function expectToGoOn(path: string): Promise<void> {
  const job = await owner.run(path, { bash: "cat kept.txt" }, { say: "went on" });
  expect(job).toMatchObject({ status: "completed", error: null });
  expect(await owner.listBlocks(path, job.id)).toMatchObject([
    { type: "tool", status: "completed", output: expect.stringContaining("kept work") },
    { type: "text", content: "went on" },
  ]);
}

const gone = (processes: Process[]) => until("every process of the sandbox to be gone", () => !processes.some(isAlive));

test("a turn whose sandbox is killed fails with a reason, and the next one has the saved work in a new sandbox", async () => {
  const { path, jobId, program, processes } = await sessionAtWork();
  signalAll([program], "SIGKILL");
  const job = await owner.jobUntil(path, jobId);
  expect(job).toMatchObject({ status: "failed", error: expect.stringContaining("The sandbox stopped") });
  expect((await owner.upNext(path)).paused).toMatchObject({ reason: "failed" });
  await gone(processes);
  await expectToGoOn(path);
});

test("a turn in a frozen sandbox can be stopped, and the next one has the saved work in a new sandbox", async () => {
  const { path, jobId, program, processes } = await sessionAtWork();
  signalAll([program], "SIGSTOP");
  const cancelled = await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
  expect([cancelled.status, cancelled.body.data.cancelled]).toEqual([200, 1]);
  expect((await owner.jobUntil(path, jobId)).status).toBe("cancelled");
  await gone(processes);
  await expectToGoOn(path);
});
