// The clone of a long history: an agent begins with the newest commits, and nothing acts in the
// checkout before it has all of them.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Checkout } from "../../../src/sandbox-protocol/protocol.ts";
import { until } from "../../support/until.ts";
import { type Program, startProgram } from "../support/program.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let fresh: Program;
let gate: Gate;
beforeEach(async () => {
  [world, fresh] = await Promise.all([startWorld(), startProgram()]);
  lengthenHistory();
  gate = await startGate(world.remote.url);
});
afterEach(async () => {
  await Promise.all([world?.end(), fresh?.remove(), gate?.stop()]);
});

const commits = 200;

/** Gives main many commits, and an older one of them a tag and a branch. */
function lengthenHistory(): void {
  const marked = 120;
  const history = Array.from({ length: commits - 1 }, (_, at) => {
    const from = at === 0 ? "from refs/heads/main^0\n" : "";
    const commit = `commit refs/heads/main\ncommitter Somebody <somebody@example.test> ${1_700_000_000 + at} +0000\ndata 0\n${from}`;
    const refs = ["refs/tags/v1", "refs/heads/svc/old"].map((ref) => `reset ${ref}\nfrom refs/heads/main\n`);
    return at + 2 === marked ? commit + refs.join("") : commit;
  });
  const { folder, env } = world.remote;
  execFileSync("git", ["fast-import", "--quiet"], { cwd: folder, env, input: history.join("") });
}

interface Gate {
  url: string;
  /** Lets the commands of git through that wait, or answers them with an error. */
  open(status?: number): void;
  stop(): Promise<void>;
}

/**
 * Starts a gate in front of a remote. A clone is two commands of git; those after it, which fetch
 * the rest of the history, wait until the gate is opened.
 */
async function startGate(remoteUrl: string): Promise<Gate> {
  const remote = new URL(remoteUrl);
  const { promise: opened, resolve: open } = Promise.withResolvers<number>();
  let commands = 0;
  const server = createServer(async (asked, response) => {
    if (asked.method === "GET") commands += 1;
    const status = commands > 2 ? await opened : 200;
    if (status !== 200) return response.writeHead(status).end();
    const { method, headers, url = "" } = asked;
    const sent = request(new URL(url, remote), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    asked.pipe(sent.on("error", () => response.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${remote.pathname}`,
    open: (status = 200) => open(status),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const checkOut = async (changes: Partial<Checkout> = {}) =>
  await fresh.call("PUT", "/checkout", { ...world.checkout, remoteUrl: gate.url, early: true, ...changes });
const at = (path: string) => join(fresh.root, "project", path);
const git = (...args: string[]) => execFileSync("git", args, { cwd: at("."), encoding: "utf8" }).trim();
const countCommits = "git rev-list --count HEAD > count";

/** Starts a turn in the new sandbox, and waits until its agent has called a tool. */
async function runTurn(steps: unknown[]) {
  const { start, service } = await world.newTurn(steps);
  expect((await fresh.call("POST", "/turns", start)).status).toBe(202);
  await until("a call of a tool", () =>
    service.received.some(({ event }) => event.type === "block" && event.block.type === "tool"),
  );
  return service;
}

test("an agent begins with the newest commits, and its tools wait for all of them", async () => {
  const head = await world.remote.git("rev-parse", "main");
  expect((await checkOut()).body).toEqual({ head, paysABase: true });
  expect(git("rev-list", "--count", "HEAD")).toBe("50");

  const service = await runTurn([{ bash: countCommits }, { say: "done" }]);
  const arrived: string[] = [];
  const log = fresh.call("GET", "/git/log?base=main").then(() => arrived.push("log"));
  await fresh.call("GET", "/files");
  expect(existsSync(at("count"))).toBe(false);
  expect(arrived).toEqual([]);
  gate.open();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(readFileSync(at("count"), "utf8")).toBe(`${commits}\n`);
  expect(git("tag")).toBe("v1");
  expect(git("branch", "--list", "--format=%(refname:short)")).toBe("main\nsvc/work");
  await log;
  expect(existsSync(join(fresh.root, "unfinished"))).toBe(false);
});

test("setup runs in the whole history", async () => {
  const checkout = checkOut({ setup: [countCommits] });
  await until("the checkout", () => existsSync(at(".git/shallow")));
  gate.open();
  expect((await checkout).status).toBe(200);
  expect(readFileSync(at("count"), "utf8")).toBe(`${commits}\n`);
});

test("a branch that the remote has begins with the commit that it shares with its base branch", async () => {
  const checkout = checkOut({ branch: "svc/old" });
  gate.open();
  expect((await checkout).body).toMatchObject({ head: await world.remote.git("rev-parse", "svc/old") });
  expect(git("merge-base", "HEAD", "origin/main")).toBe(git("rev-parse", "HEAD"));
});

test("a branch of many commits continues without its base branch", async () => {
  const checkout = checkOut({ branch: "svc/old", baseBranch: "gone", setup: [countCommits] });
  gate.open();
  expect((await checkout).status).toBe(200);
  expect(readFileSync(at("count"), "utf8")).toBe("120\n");
});

test("a spare, whose token ends when a session takes it over, is cloned with its whole history", async () => {
  const checkout = checkOut({ branch: "switchyard/spare", early: false });
  gate.open();
  expect((await checkout).status).toBe(200);
  expect(git("rev-list", "--count", "HEAD")).toBe(`${commits}`);
});

test("a program that is killed before it has all commits starts with an empty sandbox", async () => {
  await checkOut();
  await fresh.kill();
  gate.open();
  fresh = await startProgram({ root: fresh.root });
  expect((await fresh.call("GET", "/status")).body).toMatchObject({ checkedOut: false });
  await checkOut({ remoteUrl: world.remote.url, setup: [countCommits] });
  expect(readFileSync(at("count"), "utf8")).toBe(`${commits}\n`);
});

test("without the older commits, the turn fails with the reason, and the sandbox ends", async () => {
  await checkOut();
  const service = await runTurn([{ bash: countCommits }, { say: "done" }]);
  gate.open(503);
  const outcome = await service.ended();
  expect(outcome.status).toBe("failed");
  expect(JSON.stringify(outcome)).toContain('"The history of the repository could not be fetched. ');
  expect(existsSync(at("count"))).toBe(false);
  await until("the end of the program", () => fresh.process.exitCode !== null);
});

test("without the older commits, a start that has no turn yet learns the reason from its services", async () => {
  await checkOut();
  gate.open(503);
  const plan = { services: [], env: {}, restart: false };
  const apply = async () => await fresh.call("PUT", "/services", plan);
  let applied = await apply();
  await until("the refusal", async () => {
    if (applied.status === 204) applied = await apply();
    return applied.status !== 204;
  });
  expect(JSON.stringify(applied.body)).toContain("The history of the repository could not be fetched. ");
  await until("the end of the program", () => fresh.process.exitCode !== null);
});
