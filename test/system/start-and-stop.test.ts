// Starting, ending and starting again: one world for each state folder and port, nothing left
// running after it, nothing lost from it.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimFreePort } from "../../practice/free-port.ts";
import { createClient, script } from "../support/client.ts";
import { isAlive, type Process, readCommand } from "../support/process-tree.ts";
import { createWorld, type RunningWorld, tryToStart } from "../support/running-world.ts";
import { until } from "../support/until.ts";

let world: RunningWorld;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
});
afterAll(async () => world?.remove());

const oneLine = /^[^\n]+\n$/;
const readCommands = (processes: Process[]) => processes.map(readCommand);

/** Leaves a running turn in a sandbox, whose shell command is then among the processes. */
async function turnUnderWay(): Promise<Process[]> {
  const owner = createClient(world.address());
  const { path, jobId } = await owner.createSession({ content: script({ bash: "sleep 600" }) });
  await owner.jobUntil(path, jobId, ["running"]);
  return await until("the turn's command", () => {
    const processes = world.processes();
    return readCommands(processes).some((command) => command === "sleep 600") && processes;
  });
}

test("a second start on the same state folder is refused in one line", async () => {
  const { exitCode, output } = await tryToStart({ port: await claimFreePort(), stateDir: world.stateDir });
  expect(output).toMatch(oneLine);
  expect(output).toContain(`already runs from ${world.stateDir} at http://localhost:${world.port}`);
  expect(exitCode).toBe(1);
});

test("a second start on the same port is refused in one line", async () => {
  const { exitCode, output } = await tryToStart({ port: world.port, stateDir: `${world.stateDir}/second` });
  expect(output).toMatch(oneLine);
  expect(output).toContain(`Port ${world.port} is in use by a Switchyard that runs: http://localhost:${world.port}.`);
  expect(exitCode).toBe(1);
});

test.each([
  ["abc", "PORT has to be a number from 1 to 65535"],
  ["80000", "PORT has to be a number from 1 to 65535"],
])("PORT=%s is refused in one line", async (port, reason) => {
  const { exitCode, output } = await tryToStart({ port, stateDir: `${world.stateDir}/third`, by: "setup" });
  expect(output).toMatch(oneLine);
  expect(output).toContain(reason);
  expect(exitCode).toBe(1);
});

test("a state folder that cannot be created is reported in one line", async () => {
  const { exitCode, output } = await tryToStart({
    port: await claimFreePort(),
    stateDir: "/dev/null/state",
    by: "setup",
  });
  expect(output).toMatch(oneLine);
  expect(output).toContain("STATE_DIR cannot be made");
  expect(exitCode).toBe(1);
});

test.each([
  ["names a migration of then", { baseUrl: "http://localhost:1", migration: "0043_stored-bytes.sql" }],
  ["names no migration", { baseUrl: "http://localhost:1" }],
])("a state folder of an earlier version, whose dev.json %s, is refused and left as it is", async (_, dev) => {
  const stateDir = `${world.stateDir}/earlier`;
  await mkdir(stateDir);
  await writeFile(`${stateDir}/dev.json`, JSON.stringify(dev));
  const { exitCode, output } = await tryToStart({ port: await claimFreePort(), stateDir, by: "setup" });
  expect(output).toBe(
    "This state folder was made by Switchyard 0.x, which this version cannot read. Set STATE_DIR to another folder, or move it away.\n",
  );
  expect(exitCode).toBe(1);
  expect(await readdir(stateDir)).toEqual(["dev.json"]);
  await rm(stateDir, { recursive: true });
});

test("a machine without git is reported in one line", async () => {
  const { exitCode, output } = await tryToStart({
    port: await claimFreePort(),
    stateDir: `${world.stateDir}/third`,
    by: "setup",
    path: `${world.stateDir}/nothing`,
  });
  expect(output).toBe("Switchyard needs git, and finds none on the PATH.\n");
  expect(exitCode).toBe(1);
});

test("Ctrl-C ends every process, also of a running turn, and a restart keeps sessions, messages and keys", async () => {
  const owner = createClient(world.address());
  const { path, jobId } = await owner.createSession({ content: script({ say: "remember me" }) });
  await owner.jobUntil(path, jobId);
  const kept = async () => [await owner.messages(path), (await owner.get(`${path}/jobs/chat`)).body];
  const before = await kept();
  expect(JSON.stringify(before)).toContain("remember me");
  const people = world.address().users;
  const processes = await turnUnderWay();

  const { exitCode, output } = await world.interrupt();
  expect(exitCode).toBe(0);
  expect(output).toMatch(
    /^Sandboxes (are isolated by bubblewrap|run as plain processes, which can read what you can: .+)\.$/m,
  );
  await until("every process to be gone", () => !processes.some(isAlive));

  await world.start();
  expect(world.address().users).toEqual(people);
  expect(await kept()).toEqual(before);
  await world.interrupt();
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s to the whole process group, as by a terminal, ends it without errors during requests, and saves its sandboxes",
  async (signal) => {
    await world.start("npm");
    const processes = await turnUnderWay();
    const { baseUrl, users } = world.address();
    const { path } = await createClient(world.address()).createSession({ title: "Watched" });
    const headers = { authorization: `Bearer ${users.owner.apiKey}` };
    const events = await fetch(`${baseUrl}${path}/events`, { headers });
    expect(events.status).toBe(200);
    const heard = events.text().catch(() => "broken off");
    const { output } = await world.interruptGroup(signal);
    expect(output).not.toMatch(/Error|^\s+at |could not be saved/m);
    await until("every process to be gone", () => !processes.some(isAlive));
    await heard;
    expect(await readdir(`${world.stateDir}/sandboxes`)).toEqual([]);
  },
);

test("SIGINT and SIGTERM to only npm each end what `npm start` started", async () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    await world.start("npm");
    const processes = world.processes();
    expect(await world.interrupt(signal)).toMatchObject({ exitCode: 0 });
    await until("every process to be gone", () => !processes.some(isAlive));
  }
});

test.each([
  ["npm", (processes: Process[]) => processes.slice(0, 1)],
  ["setup.mjs", (processes: Process[]) => processes.filter((one) => / setup\.mjs /.test(readCommand(one))).slice(0, 1)],
])("`kill -9` of only %s saves the sandboxes and ends what `npm start` started", async (name, find) => {
  await world.start("npm");
  const processes = await turnUnderWay();
  const victims = find(processes);
  expect(readCommands(victims).join()).toContain(name);
  await world.killThese(victims);
  await until("every process to be gone", () => !processes.some(isAlive));
  await expect(fetch(world.address().baseUrl)).rejects.toThrow();
  expect(await readdir(`${world.stateDir}/sandboxes`)).toEqual([]);
  expect(await readdir(world.stateDir)).not.toContain("run.json");
});

test("a world whose state folder was deleted ends at SIGTERM", async () => {
  const other = await createWorld();
  try {
    await other.start();
    const processes = other.processes();
    // The world writes meanwhile, so a folder may not be empty at the first try.
    await rm(other.stateDir, { recursive: true, force: true, maxRetries: 20 });
    await other.interrupt("SIGTERM");
    await until("every process to be gone", () => !processes.some(isAlive));
  } finally {
    await other.remove();
  }
});

test("a world whose runtime crashed still saves its sandboxes", async () => {
  await world.start();
  await turnUnderWay();
  await world.killRuntime();
  expect(await world.interrupt()).toMatchObject({ exitCode: 0 });
  expect(await readdir(`${world.stateDir}/sandboxes`)).toEqual([]);
  await world.start();
});

test("a start after only the starting process was killed works and leaves nothing of the earlier run", async () => {
  const processes = await turnUnderWay();
  await world.killStarter();
  await world.start();
  expect(readCommands(processes.filter(isAlive))).toEqual([]);
});

test("a start that is killed half way does not prevent the next one", async () => {
  await world.interrupt();
  world.launch();
  const early = await until("the runtime to come up", () => {
    const processes = world.processes();
    return readCommands(processes).some((command) => command.includes("workerd serve")) && processes;
  });
  await world.killStarter();
  await world.start();
  expect(readCommands(early.filter(isAlive))).toEqual([]);
  expect((await createClient(world.address()).get("/api/organizations")).status).toBe(200);
});
