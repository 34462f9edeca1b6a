// Locks that a killed git left: gone once nobody holds them, and respected while somebody does.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFolders } from "../../../sandbox-program/folders.ts";
import { tryGit } from "../../../sandbox-program/git/git-command.ts";
import { until } from "../../support/until.ts";
import { isAlive } from "../support/processes.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let project: string;
let holder: ChildProcess | undefined;
beforeEach(async () => {
  world = await startWorld();
  project = join(world.program.root, "project");
  await writeFile(join(project, "README.md"), "changed\n");
});
afterEach(async () => {
  await endHolder();
  await world?.end();
});

const author = { name: "Ada", email: "ada@example.test" };
const commit = () => world.program.call("POST", "/git/commit", { message: "by hand", author });
const lock = (name: string) => join(project, ".git", name);
const git = (...args: string[]) => execFileSync("git", args, { cwd: project, encoding: "utf8" }).trim();

/** A filter by which git is at work for minutes with its lock taken. */
async function slowDown(): Promise<void> {
  git("config", "filter.slow.clean", "sleep 600");
  await mkdir(lock("info"), { recursive: true });
  await writeFile(lock("info/attributes"), "README.md filter=slow\n");
}

/** Has a process hold on until the test ends. */
async function hold(file: string, args: string[]): Promise<void> {
  holder = spawn(file, args, { cwd: project, stdio: "ignore", detached: true });
  await until("the lock", () => existsSync(lock("index.lock")));
}

async function endHolder(): Promise<void> {
  if (holder?.pid === undefined || holder.signalCode !== null) return;
  const gone = new Promise((resolve) => holder?.once("exit", resolve));
  process.kill(-holder.pid, "SIGKILL");
  await gone;
}

test("a turn's git that a stop kills leaves no lock", async () => {
  await slowDown();
  const { start, service } = await world.runTurn([{ bash: "git add --all" }, { say: "never said" }]);
  await until("the lock", () => existsSync(lock("index.lock")));
  await world.program.call("POST", `/turns/${start.turnId}/stop`);
  await service.ended();
  expect(existsSync(lock("index.lock"))).toBe(false);
  git("config", "--unset", "filter.slow.clean");
  expect((await commit()).status).toBe(200);
});

test("a git of the program that times out leaves neither a lock nor a process", async () => {
  await slowDown();
  const note = join(world.program.root, "filter");
  git("config", "filter.slow.clean", `trap "" TERM; echo $$ > ${note}; sleep 600`);
  const folders = createFolders(world.program.root);
  await expect(tryGit(folders, ["add", "--all"], { timeoutMs: 10_000 })).rejects.toThrow("was stopped");
  expect(existsSync(lock("index.lock"))).toBe(false);
  const filter = Number(await readFile(note, "utf8"));
  await until("the filter's end", () => !isAlive(filter));
});

test.each(["index.lock", "HEAD.lock", "refs/heads/svc/work.lock"])(
  "%s without an owner does not prevent a commit, and is gone after a wake",
  async (name) => {
    await writeFile(lock(name), "");
    expect((await commit()).status).toBe(200);
    for (const left of [name, "config.lock", "worktrees/aside/index.lock"]) {
      await mkdir(join(lock(left), ".."), { recursive: true });
      await writeFile(lock(left), "");
    }
    expect((await world.program.call("PUT", "/checkout", world.checkout)).status).toBe(200);
    expect([name, "config.lock", "worktrees/aside/index.lock"].filter((left) => existsSync(lock(left)))).toEqual([]);
  },
);

test("a lock is kept while another git works in the checkout, or any process has it open", async () => {
  const refused = { status: 422, body: { message: expect.stringContaining("Another git command is running") } };
  await slowDown();
  await hold("git", ["add", "--all"]);
  expect(await commit()).toMatchObject(refused);
  expect(existsSync(lock("index.lock"))).toBe(true);
  await endHolder();
  git("config", "--unset", "filter.slow.clean");

  await hold("sh", ["-c", "exec 9> .git/index.lock; exec sleep 600"]);
  expect(await commit()).toMatchObject(refused);
  await endHolder();
  expect((await commit()).status).toBe(200);
});
