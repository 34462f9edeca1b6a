// Reading and writing one file of the project, and the paths that are refused.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let project: string;
beforeAll(async () => {
  world = await startWorld();
  project = join(world.program.root, "project");
  await mkdir(join(project, "src"));
  await writeFile(join(project, "src/main.ts"), "// hello\n");
  await writeFile(join(project, "picture.png"), Buffer.from([0x89, 0x50, 0, 0xff]));
  await writeFile(join(project, "latin.txt"), Buffer.from([0x63, 0x61, 0x66, 0xe9]));
  await writeFile(join(world.program.root, "outside.txt"), "outside");
  await symlink("../outside.txt", join(project, "link-out"));
  await symlink("..", join(project, "folder-out"));
  await symlink(".git/config", join(project, "link-git"));
  await symlink("src/main.ts", join(project, "link-in"));
  await symlink("loop", join(project, "loop"));
  execFileSync("mkfifo", [join(project, "pipe")]);
});
afterAll(() => world?.end());

const read = (path: string) => world.program.call("GET", `/files/content?path=${encodeURIComponent(path)}`);
const write = (path: string, content: string) => world.program.call("PUT", "/files/content", { path, content });

test("a file is read and written by its path in the project, also through a link within it", async () => {
  expect((await read("src/main.ts")).body).toEqual({ content: "// hello\n" });
  expect((await write("link-in", "// bye ✓\r\n")).status).toBe(204);
  expect((await read("src/main.ts")).body).toEqual({ content: "// bye ✓\r\n" });
});

test("of writes on the same content, only the first is made", async () => {
  const hashOf = (content: string) => createHash("sha256").update(content).digest("hex");
  const content = async () => String((await read("src/main.ts")).body?.content);
  const before = await content();
  const baseHash = hashOf(before);
  const put = (text: string, hash: string) =>
    world.program.call("PUT", "/files/content", { path: "src/main.ts", content: text, baseHash: hash });
  const answers = await Promise.all(["// a\n", "// b\n", "// c\n"].map((text) => put(text, baseHash)));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: "FILE_CHANGED" });
  const written = await content();
  expect(answers[["// a\n", "// b\n", "// c\n"].indexOf(written)]?.status).toBe(204);
  expect((await put(before, hashOf(written))).status).toBe(204);
  expect((await put("", "0".repeat(64))).status).toBe(409);
  expect(await content()).toBe(before);
});

test("a write keeps the file's mode", async () => {
  const script = join(project, "script.sh");
  await writeFile(script, "echo one\n");
  await chmod(script, 0o751);
  expect((await write("script.sh", "echo two\n")).status).toBe(204);
  expect((await stat(script)).mode & 0o7777).toBe(0o751);
  expect(await readFile(script, "utf8")).toBe("echo two\n");
});

test.each([
  ["/etc/passwd", 400, "OUTSIDE_PROJECT"],
  ["../outside.txt", 400, "OUTSIDE_PROJECT"],
  ["src/../../outside.txt", 400, "OUTSIDE_PROJECT"],
  ["src/..", 400, "OUTSIDE_PROJECT"],
  ["link-out", 400, "OUTSIDE_PROJECT"],
  ["folder-out/outside.txt", 400, "OUTSIDE_PROJECT"],
  [".git/config", 400, "OUTSIDE_PROJECT"],
  [".GIT/config", 400, "OUTSIDE_PROJECT"],
  ["src/.git/x", 400, "OUTSIDE_PROJECT"],
  ["link-git", 400, "OUTSIDE_PROJECT"],
  ["loop", 400, "OUTSIDE_PROJECT"],
  ["", 400, "BAD_CALL"],
  ["a\0b", 400, "BAD_CALL"],
  ["x".repeat(2_049), 400, "BAD_CALL"],
  ["src", 404, "NOT_FOUND"],
  [".", 400, "OUTSIDE_PROJECT"],
  ["pipe", 404, "NOT_FOUND"],
  ["missing.txt", 404, "NOT_FOUND"],
  ["src/main.ts/x", 404, "NOT_FOUND"],
])("the path %j is refused for reads and writes", async (path, status, code) => {
  expect(await read(path)).toMatchObject({ status, body: { code } });
  expect(await write(path, "x")).toMatchObject({ status, body: { code } });
  expect(await readFile(join(world.program.root, "outside.txt"), "utf8")).toBe("outside");
});

test("a link that replaces a file or a folder between the check and the open has no effect", async () => {
  await mkdir(join(project, "swapped"));
  await writeFile(join(project, "swapped/outside.txt"), "inside");
  await writeFile(join(project, "flips"), "inside");
  const swaps = `while :; do
    mv swapped aside; ln -s .. swapped; rm swapped; mv aside swapped
    ln -s ../outside.txt new; mv -T new flips; printf inside > new; mv -T new flips
  done`;
  const swapper = spawn("bash", ["-c", swaps], { cwd: project, stdio: "ignore" });
  try {
    for (let round = 0; round < 150; round++) {
      for (const path of ["swapped/outside.txt", "flips"]) {
        const seen = await read(path);
        expect([200, 400, 404]).toContain(seen.status);
        expect(seen.body?.content ?? "inside").toBe("inside");
        expect([204, 400, 404, 422]).toContain((await write(path, "inside")).status);
      }
    }
  } finally {
    swapper.kill("SIGKILL");
    await once(swapper, "exit");
  }
  expect(await readFile(join(world.program.root, "outside.txt"), "utf8")).toBe("outside");
});

test.each(["picture.png", "latin.txt"])("%s is not read as text", async (path) => {
  expect(await read(path)).toMatchObject({ status: 415, body: { code: "BINARY_CONTENT" } });
});

test("the longest text of any script can be written and read", async () => {
  const content = "漢".repeat(1_048_576);
  await writeFile(join(project, "long.txt"), "");
  expect((await write("long.txt", content)).status).toBe(204);
  expect((await read("long.txt")).body?.content === content).toBe(true);
});
