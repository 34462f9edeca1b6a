// A session's work in a folder here, and back, with real git.
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { script } from "../support/client.ts";
import { openTerminal, type Terminal } from "./support/terminal.ts";

let terminal: Terminal;
let id: string;

beforeAll(openApiWorld);
beforeEach(async () => {
  terminal = openTerminal(apiWorld());
  const dirty = [
    "echo staged >> README.md; git add README.md; echo later >> README.md",
    "git mv server.js renamed.js 2> /dev/null || true; printf '\\000\\377' > bytes.bin; ln -s README.md link",
    "echo untracked > 'new file'; chmod +x README.md",
  ];
  id = await terminal.start(script(...dirty.map((bash) => ({ bash })), { say: "Done." }));
  expect(await terminal.sy("wait", id)).toMatchObject({ code: 0 });
});

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", args, {
    ...{ cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
    env: { PATH: process.env.PATH ?? "", HOME: terminal.home, GIT_CONFIG_NOSYSTEM: "1" },
  }).trim();

/** What the session's own git says of its work. */
async function sessionStatus(): Promise<string> {
  const sent = await terminal.sy("send", id, "-", "--wait", {
    input: script({ bash: "git status --porcelain > ../status; cat ../status" }, { say: "Looked." }),
  });
  expect(sent.code).toBe(0);
  const { messages } = JSON.parse((await terminal.sy("show", id, "--json")).stdout);
  const blocks: { type: string; output?: string }[] = messages.at(-1).blocks;
  return blocks.find(({ type }) => type === "tool")?.output?.trim() ?? "";
}

async function checkOut(...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await terminal.sy("checkout", id, "here", ...more);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout.trim();
}

test("a folder has the work as it is, and what is changed there goes back", async () => {
  const folder = await checkOut();
  expect(folder).toBe(join(terminal.home, "here"));
  expect(git(folder, "status", "--porcelain")).toBe(await sessionStatus());
  // It has no remote, and is of the project, too.
  expect(await terminal.sy("api", "GET", "/api/projects/{project}", { cwd: folder })).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, "bytes.bin"))).toEqual(Buffer.from([0, 255]));
  expect((await terminal.sy("push", { cwd: folder })).stdout).toContain("nothing to send");

  writeFileSync(join(folder, "new file"), "changed here\n");
  rmSync(join(folder, "link"));
  git(folder, "add", "new file");
  expect(await terminal.sy("push", { cwd: folder })).toMatchObject({ code: 0 });
  expect(await sessionStatus()).toBe(git(folder, "status", "--porcelain"));
  expect((await terminal.sy("pull", { cwd: folder })).stdout).toContain("Nothing is new");
});

test("in a clone of the repository, the folder is a worktree on the session's branch", async () => {
  const clone = join(terminal.home, "clone");
  git(terminal.home, "init", "--quiet", clone);
  git(clone, "remote", "add", "origin", "https://code.example.test/acme/demo-app.git");
  const { code, stdout, stderr } = await terminal.sy("checkout", id, { cwd: clone });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const folder = stdout.trim();
  expect(git(clone, "worktree", "list")).toContain(folder);
  expect(git(folder, "branch", "--show-current")).toContain(id.slice(-6));
  expect(await terminal.sy("checkout", id, { cwd: clone })).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining("exists already") },
  });
});

test("where both sides have changed the work, neither overwrites the other", async () => {
  const folder = await checkOut();
  writeFileSync(join(folder, "mine.txt"), "mine\n");
  appendFileSync(join(folder, "README.md"), "by hand\n");
  await terminal.sy("send", id, "-", "--wait", {
    input: script({ bash: "echo theirs > theirs.txt; echo by the agent >> README.md" }, { say: "Done." }),
  });
  let advice = "";
  for (const command of ["pull", "push"]) {
    const refused = await terminal.sy(command, { cwd: folder });
    advice = /sy pull --theirs && (.*)\n/.exec(refused.stderr)?.[1] ?? "";
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was overwritten") });
    expect(readFileSync(join(folder, "mine.txt"), "utf8")).toBe("mine\n");
    expect(existsSync(join(folder, "theirs.txt"))).toBe(false);
  }
  expect(await terminal.sy("pull", "--theirs", { cwd: folder })).toMatchObject({ code: 0 });
  expect([existsSync(join(folder, "mine.txt")), existsSync(join(folder, "theirs.txt"))]).toEqual([false, true]);
  // Git says by its exit code that a part does not fit.
  expect(spawnSync("sh", ["-c", advice], { cwd: folder }).status).toBe(1);
  expect(readFileSync(join(folder, "README.md"), "utf8")).toMatch(/by the agent\n$/);
  expect(readFileSync(join(folder, "README.md.rej"), "utf8")).toContain("+by hand\n");
  rmSync(join(folder, "README.md.rej"));
  expect(await terminal.sy("push", { cwd: folder })).toMatchObject({ code: 0 });
  expect(await sessionStatus()).toContain("?? mine.txt\n?? ");
});

describe("a command says what is missing", () => {
  test("in a folder of no session", async () => {
    for (const command of ["pull", "push"])
      expect(await terminal.sy(command)).toMatchObject({
        ...{ code: 2, stderr: expect.stringContaining("sy checkout ID") },
      });
  });

  test("on another branch than the session's", async () => {
    const folder = await checkOut();
    git(folder, "checkout", "--quiet", "-b", "other");
    expect(await terminal.sy("push", { cwd: folder })).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining("another branch") },
    });
  });
});
