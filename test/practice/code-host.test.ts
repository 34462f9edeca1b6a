import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type PracticeCodeHost, startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { claimFreePort } from "../../practice/free-port.ts";

const token = "code-host-token";
const run = promisify(execFile);
let folder: string;
let codeHost: PracticeCodeHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "code-host-test-"));
  codeHost = await startPracticeCodeHost({ folder: join(folder, "code-host"), token });
  await codeHost.createRepository("acme/board", { "README.md": "# Board\n", "src/app.js": "export {};\n" });
});
afterAll(async () => {
  await codeHost.close();
  await rm(folder, { recursive: true, force: true });
});

const git = (cwd: string, ...args: string[]) =>
  run("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" },
  });
const remote = (name: string, password = token) =>
  `${codeHost.url.replace("://", `://anyone:${password}@`)}/${name}.git`;
const newFolder = () => mkdtemp(join(folder, "work-"));
const basic = { authorization: `Basic ${btoa(`anyone:${token}`)}` };

async function clone(name = "acme/board"): Promise<string> {
  const work = await newFolder();
  await git(work, "clone", "--quiet", remote(name), ".");
  return work;
}

test("a restart listens at the earlier port, or at a free one if it is taken", async () => {
  const settings = { folder: join(folder, "other"), token };
  const start = (port: number) => startPracticeCodeHost({ ...settings, port });
  const elsewhere = await start(Number(new URL(codeHost.url).port));
  expect(elsewhere.url).not.toBe(codeHost.url);
  await elsewhere.close();
  const first = await start(await claimFreePort());
  await first.close();
  const later = await start(Number(new URL(first.url).port));
  expect(later.url).toBe(first.url);
  await later.close();
});

test("a clone has the repository's files on main, as one commit", async () => {
  const work = await clone();
  expect(await readFile(join(work, "src/app.js"), "utf8")).toBe("export {};\n");
  expect((await git(work, "log", "--format=%s", "main")).stdout).toBe("Initial commit\n");
});

test("a push that is larger than git's buffer is in the next clone", async () => {
  const work = await clone();
  const bytes = randomBytes(3_000_000);
  await writeFile(join(work, "large.bin"), bytes);
  await git(work, "checkout", "--quiet", "-b", "topic");
  await git(work, "add", ".");
  await git(work, "commit", "--quiet", "-m", "Large");
  await git(work, "push", "--quiet", "origin", "topic");
  const other = await clone();
  await git(other, "checkout", "--quiet", "topic");
  expect((await readFile(join(other, "large.bin"))).equals(bytes)).toBe(true);
});

describe("without the token", () => {
  test("every request is refused with a challenge", async () => {
    for (const path of [
      "/acme/board.git/info/refs?service=git-upload-pack",
      "/acme/none.git/info/refs",
      "/repos/acme/board/pulls",
    ]) {
      const answer = await fetch(codeHost.url + path);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toContain("Basic");
    }
  });

  test.each(["", "wrong", "code-host-token-and-more"])(
    "git can neither clone nor push with the password %j",
    async (password) => {
      await expect(git(await newFolder(), "clone", remote("acme/board", password), ".")).rejects.toThrow();
      const work = await clone();
      await expect(git(work, "push", remote("acme/board", password), "main:refused")).rejects.toThrow();
      expect((await git(work, "ls-remote", "origin", "refused")).stdout).toBe("");
    },
  );
});

test.each([
  "/acme/none.git/info/refs?service=git-upload-pack",
  "/acme/board.git/config",
  "/acme/%2e%2e.git/info/refs",
  "/",
])("%s is not found", async (path) => {
  expect((await fetch(codeHost.url + path, { headers: basic })).status).toBe(404);
});

test("a compressed request of git's protocol version 2 is understood", async () => {
  const answer = await fetch(`${codeHost.url}/acme/board.git/git-upload-pack`, {
    method: "POST",
    headers: {
      ...basic,
      "content-type": "application/x-git-upload-pack-request",
      "content-encoding": "gzip",
      "git-protocol": "version=2",
    },
    body: gzipSync("0014command=ls-refs\n0000"),
  });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("refs/heads/main");
});

test("creating a repository again keeps what was pushed to it", async () => {
  const work = await clone();
  await git(work, "push", "--quiet", "origin", "main:kept");
  await codeHost.createRepository("acme/board", { "other.txt": "other" });
  expect((await git(work, "ls-remote", "origin", "kept")).stdout).toContain("refs/heads/kept");
});

test("two concurrent calls create one repository", async () => {
  await Promise.all([1, 2].map((content) => codeHost.createRepository("acme/twice", { "a.txt": String(content) })));
  expect((await git(await clone("acme/twice"), "log", "--format=%s")).stdout).toBe("Initial commit\n");
});

test("a repository can be created from a folder, and the demo app is one", async () => {
  await codeHost.createRepository("acme/demo", new URL("../../practice/demo-app", import.meta.url).pathname);
  expect(await readFile(join(await clone("acme/demo"), "server.js"), "utf8")).toContain("createBoard");
});

test.each(["../escape", "acme", "acme/a/b", "acme/.git", "acme/x.git"])("%j is not a repository name", async (name) => {
  await expect(codeHost.createRepository(name, {})).rejects.toThrow("not a repository name");
});

test("the machine's git configuration does not affect a repository", async () => {
  const home = await newFolder();
  await writeFile(
    join(home, ".gitconfig"),
    "[user]\n\tname = Leaked\n[commit]\n\tgpgsign = true\n[core]\n\thooksPath = /nowhere\n",
  );
  vi.stubEnv("HOME", home);
  vi.stubEnv("GIT_AUTHOR_NAME", "Leaked");
  const started = await startPracticeCodeHost({ folder: join(folder, "code-host"), token });
  await started.createRepository("acme/clean", { "a.txt": "a" });
  await started.close();
  vi.unstubAllEnvs();
  expect((await git(await clone("acme/clean"), "log", "--format=%an")).stdout).toBe("Practice Code Host\n");
});
