// Whatever the checkout's configuration says: the program's git works on the project's files, and
// its pushes and fetches go to the gateway.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createFolders } from "../../../sandbox-program/folders.ts";
import { fetchBranches } from "../../../sandbox-program/git/branch/state.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let project: string;
/** Where no request is to arrive. */
let elsewhere: Server;
let strays: string[];
beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    strays.push(`${request.method} ${request.url}`);
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
});
beforeEach(async () => {
  world = await startWorld();
  project = join(world.program.root, "project");
  strays = [];
});
afterEach(() => world?.end());
afterAll(async () => {
  elsewhere?.close();
});

const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
const commit = () =>
  world.program.call("POST", "/git/commit", { message: "m", author: { name: "Ada", email: "ada@example.test" } });
const away = () => `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;

test.each<[setting: string, set: () => [key: string, value: string]]>([
  ["http.proxy", () => ["http.proxy", away()]],
  ["http.<url>.proxy", () => [`http.${world.remote.url}.proxy`, away()]],
  ["remote.origin.proxy", () => ["remote.origin.proxy", away()]],
  ["remote.origin.url", () => ["remote.origin.url", `${away()}/demo.git`]],
  ["remote.origin.pushurl", () => ["remote.origin.pushurl", `${away()}/demo.git`]],
  ["url.<url>.insteadOf", () => [`url.${away()}/demo.git.insteadOf`, world.remote.url]],
  ["url.<url>.insteadOf for a part", () => [`url.${away()}/.insteadOf`, "http"]],
  ["url.<url>.insteadOf for the name", () => [`url.${away()}/.insteadOf`, "gateway-"]],
  ["url.<url>.pushInsteadOf", () => [`url.${away()}/demo.git.pushInsteadOf`, world.remote.url]],
])("%s leads no push and no fetch away", async (_, set) => {
  await writeFile(join(project, "new.txt"), "new\n");
  const made = await commit();
  const folders = createFolders(world.program.root);
  git(folders.tmp, "init", "--quiet");
  for (const at of [project, folders.tmp]) git(at, "config", ...set());

  expect((await world.program.call("POST", "/git/push", { token: world.remote.token })).status).toBe(204);
  expect(await world.remote.git("rev-parse", "svc/work")).toBe(made.body?.sha);
  await world.remote.git("update-ref", "refs/heads/other", String(made.body?.sha));
  expect(await fetchBranches(folders, { base: "other", token: world.remote.token })).toMatchObject({
    baseHead: made.body?.sha,
  });
  expect(strays).toEqual([]);
});

test("a work tree elsewhere is neither read nor committed", async () => {
  const outside = await mkdtemp(join(tmpdir(), "outside-"));
  try {
    await writeFile(join(outside, "foreign.txt"), "foreign\n");
    await writeFile(join(project, "new.txt"), "new\n");
    git(project, "config", "core.worktree", outside);
    const { body } = await world.program.call("GET", "/git/changes?base=main");
    expect(body).toMatchObject({ files: [{ path: "new.txt", status: "added" }] });
    expect((await world.program.call("GET", "/git/patch?base=main")).body?.patch).not.toContain("foreign");
    expect((await commit()).status).toBe(200);
    expect(git(project, "log", "-1", "--format=", "--name-status")).toBe("A\tnew.txt");
    expect((await world.program.call("GET", "/git/state?base=main")).body).toMatchObject({
      hasUncommittedChanges: false,
      hasUnpushedCommits: true,
    });
  } finally {
    await rm(outside, { recursive: true });
  }
});

test("git's error names its command", async () => {
  await rm(join(project, ".git/refs/remotes/origin"), { recursive: true });
  await writeFile(join(project, ".git/packed-refs"), "");
  await writeFile(join(project, ".git/index"), "broken");
  expect((await world.program.call("GET", "/git/state")).body?.message).toMatch(/^git status failed\./);
});
