// The work of a checkout as a git bundle, between two checkouts of one branch: what differs in one
// is in the other, byte by byte, and nobody's work is lost.
import { execFileSync } from "node:child_process";
import { chmod, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { closedGate } from "../../support/gate.ts";
import { type Program, secret, startProgram } from "../support/program.ts";
import { startWorld, type World } from "../support/world.ts";

const headers = { authorization: `Bearer ${secret}` };

let world: World;
let here: Side;
let there: Side;

/** One of the two checkouts. */
interface Side {
  program: Program;
  project: string;
  git(...args: string[]): string;
  read(query?: string): Promise<{ status: number; id: string; bundle: Blob }>;
  write(expected: string, bundle: Blob): Promise<{ status: number; body: unknown }>;
}

beforeEach(async () => {
  world = await startWorld();
  here = createSide(world.program);
  await writeFile(join(here.project, ".gitignore"), "ignored/\n");
  for (const [name, text] of Object.entries({ "kept.txt": "kept\n", "old.txt": "old\n", "gone.txt": "gone\n" }))
    await writeFile(join(here.project, name), text);
  await commit(here, "start");
  await here.program.call("POST", "/git/push", { token: world.remote.token });
  const program = await startProgram({ env: {} });
  there = createSide(program);
  expect((await program.call("PUT", "/checkout", world.checkout)).status).toBe(200);
});
afterEach(async () => {
  await there?.program.remove();
  await world?.end();
});

function createSide(program: Program): Side {
  const project = join(program.root, "project");
  return {
    program,
    project,
    git: (...args) => execFileSync("git", args, { cwd: project, encoding: "utf8", stdio: "pipe" }).trim(),
    async read(query = "") {
      const response = await program.raw(`/git/work${query}`, { headers });
      return { status: response.status, id: response.headers.get("etag") ?? "", bundle: await response.blob() };
    },
    async write(expected, bundle) {
      const response = await program.raw(`/git/work?expected=${expected}`, { method: "PUT", headers, body: bundle });
      return { status: response.status, body: await response.json() };
    },
  };
}

async function commit({ program }: Side, message: string): Promise<void> {
  const author = { name: "Ada", email: "ada@example.test" };
  expect((await program.call("POST", "/git/commit", { message, author })).status).toBe(200);
}

/** Sends the work of one side to the other, which must end with the same. */
async function send(from: Side, to: Side): Promise<void> {
  const { id } = await to.read();
  const sent = await from.read(`?have=${to.git("rev-parse", "HEAD")}`);
  const head = from.git("rev-parse", "HEAD");
  expect(await to.write(id, sent.bundle)).toEqual({ status: 200, body: { head, work: sent.id } });
}

/** All that git and a person see of a checkout. */
async function look({ project, git }: Side) {
  const files: Record<string, string> = {};
  for (const entry of await readdir(project, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(join(project, ".git/")) || entry.isDirectory()) continue;
    const { mode } = await lstat(path);
    const content = entry.isSymbolicLink() ? await readlink(path) : (await readFile(path)).toString("base64");
    files[path.slice(project.length + 1)] = `${entry.isSymbolicLink() ? "link" : (mode & 0o111) > 0} ${content}`;
  }
  return {
    files,
    status: git("status", "--porcelain"),
    staged: git("diff", "--cached"),
    head: git("rev-parse", "HEAD"),
  };
}

const kinds: [kind: string, change: (side: Side) => Promise<unknown>, status: string][] = [
  ["nothing", async () => {}, ""],
  ["an unstaged change", ({ project }) => writeFile(join(project, "kept.txt"), "changed\r\n"), "M kept.txt"],
  [
    "a staged change with another over it",
    async ({ project, git }) => {
      await writeFile(join(project, "kept.txt"), "staged\n");
      git("add", "kept.txt");
      await writeFile(join(project, "kept.txt"), "later\n");
    },
    "MM kept.txt",
  ],
  ["a deleted file", ({ project }) => rm(join(project, "gone.txt")), "D gone.txt"],
  ["a staged deletion", async ({ git }) => git("rm", "--quiet", "gone.txt"), "D  gone.txt"],
  [
    "a renamed file",
    ({ project }) => rename(join(project, "old.txt"), join(project, "new.txt")),
    "D old.txt\n?? new.txt",
  ],
  ["a staged rename", async ({ git }) => git("mv", "old.txt", "new.txt"), "R  old.txt -> new.txt"],
  [
    "a binary file",
    ({ project }) => writeFile(join(project, "bytes.bin"), Buffer.from([0, 255, 13, 10, 0, 128])),
    "?? bytes.bin",
  ],
  ["a link", ({ project }) => symlink("../kept.txt", join(project, "link")), "?? link"],
  ["a mode", ({ project }) => chmod(join(project, "kept.txt"), 0o755), "M kept.txt"],
  [
    "untracked files in folders, with odd names",
    async ({ project }) => {
      await mkdir(join(project, "a folder/ß"), { recursive: true });
      await writeFile(join(project, "a folder/ß/-rf *\n"), "odd\n");
    },
    '?? "a folder/"',
  ],
  [
    "a file that became a folder",
    async ({ project }) => {
      await rm(join(project, "old.txt"));
      await mkdir(join(project, "old.txt"));
      await writeFile(join(project, "old.txt/inside"), "inside\n");
    },
    "D old.txt",
  ],
  [
    "a new commit, with work over it",
    async (side) => {
      await writeFile(join(side.project, "kept.txt"), "committed\n");
      await commit(side, "more");
      await writeFile(join(side.project, "kept.txt"), "over it\n");
    },
    "M kept.txt",
  ],
];

test.each(kinds)("%s arrives as it is, and goes back", async (_, change, status) => {
  await change(here);
  const before = await look(here);
  expect(before.status).toBe(status);
  await send(here, there);
  expect(await look(there)).toEqual(before);
  expect((await there.read()).id).toBe((await here.read()).id);

  await writeFile(join(there.project, "kept.txt"), "from there\n");
  const after = await look(there);
  await send(there, here);
  expect(await look(here)).toEqual(after);
});

test("work that only one side ignores stays where it is", async () => {
  for (const [{ project }, text] of [[here, "mine"] as const, [there, "theirs"] as const]) {
    await mkdir(join(project, "ignored"));
    await writeFile(join(project, "ignored/file"), text);
  }
  await writeFile(join(here.project, "new.txt"), "new\n");
  await send(here, there);
  expect(await readFile(join(there.project, "ignored/file"), "utf8")).toBe("theirs");
});

test("unchanged work has the same id, and is not sent again", async () => {
  await writeFile(join(here.project, "new.txt"), "new\n");
  const { id } = await here.read();
  expect(id).toMatch(/^[0-9a-f]{40}$/);
  expect(await here.read(`?known=${id}`)).toMatchObject({ status: 304, id });
  await writeFile(join(here.project, "new.txt"), "newer\n");
  expect((await here.read(`?known=${id}`)).status).toBe(200);
});

test("reading the work changes neither index nor files", async () => {
  await writeFile(join(here.project, "new.txt"), "new\n");
  const before = await look(here);
  await here.read();
  expect(await look(here)).toEqual(before);
});

describe("work is refused, and nothing is changed", () => {
  const refused: [why: string, prepare: () => Promise<{ expected: string; bundle: Blob }>, answer: object][] = [
    [
      "if the session has changed since its sender has read it",
      async () => {
        const { id } = await there.read();
        await writeFile(join(there.project, "kept.txt"), "changed meanwhile\n");
        return { expected: id, bundle: (await here.read()).bundle };
      },
      { status: 409, body: { code: "WORK_CHANGED" } },
    ],
    [
      "if its branch leaves out commits of the session",
      async () => {
        await writeFile(join(there.project, "kept.txt"), "committed there\n");
        await commit(there, "there");
        return { expected: (await there.read()).id, bundle: (await here.read()).bundle };
      },
      { status: 422, body: { code: "GIT_REFUSED", message: expect.stringContaining("leaves out commits") } },
    ],
    [
      "during a merge",
      async () => {
        const expected = (await there.read()).id;
        await writeFile(join(there.project, ".git/MERGE_HEAD"), `${there.git("rev-parse", "HEAD")}\n`);
        return { expected, bundle: (await here.read()).bundle };
      },
      { status: 422, body: { code: "GIT_REFUSED", message: expect.stringContaining("in the middle of a merge") } },
    ],
    [
      "if it is no bundle",
      async () => ({ expected: (await there.read()).id, bundle: new Blob(["not a bundle"]) }),
      { status: 422, body: { code: "GIT_REFUSED", message: expect.stringContaining("cannot be read") } },
    ],
    [
      "if the bundle has another commit at the ref",
      async () => {
        here.git("update-ref", "refs/switchyard/work", "HEAD");
        const file = join(here.program.root, "tmp/other.bundle");
        here.git("bundle", "create", "--quiet", file, "refs/switchyard/work");
        return { expected: (await there.read()).id, bundle: new Blob([await readFile(file)]) };
      },
      { status: 422, body: { code: "GIT_REFUSED", message: expect.stringContaining("a commit of the index") } },
    ],
    [
      "if an ignored file of the session is in the way",
      async () => {
        await mkdir(join(there.project, "ignored"));
        await writeFile(join(there.project, "ignored/file"), "theirs");
        await mkdir(join(here.project, "ignored"));
        await writeFile(join(here.project, "ignored/file"), "mine");
        here.git("add", "--force", "ignored/file");
        return { expected: (await there.read()).id, bundle: (await here.read()).bundle };
      },
      { status: 422, body: { code: "GIT_REFUSED", message: expect.stringContaining("ignored/file") } },
    ],
  ];

  test.each(refused)("%s", async (_, prepare, answer) => {
    const { expected, bundle } = await prepare();
    const before = await look(there);
    expect(await there.write(expected, bundle)).toMatchObject(answer);
    expect(await look(there)).toEqual(before);
  });

  test("while a turn runs", async () => {
    const { id } = await here.read();
    const { bundle } = await there.read();
    const gate = await closedGate();
    const { service } = await world.runTurn([{ bash: gate.command }, { say: "done" }]);
    expect(await here.write(id, bundle)).toMatchObject({ status: 409, body: { code: "TURN_RUNNING" } });
    gate.open();
    await service.ended();
  });
});

test("a name that git does not check out is refused", async () => {
  const blob = here.git("hash-object", "-w", "kept.txt");
  const inner = execFileSync("git", ["mktree"], {
    cwd: here.project,
    input: `100644 blob ${blob}\tconfig\n`,
    encoding: "utf8",
  });
  const tree = execFileSync("git", ["mktree"], {
    cwd: here.project,
    input: `040000 tree ${inner.trim()}\t.git\n`,
    encoding: "utf8",
  });
  const head = here.git("rev-parse", "HEAD");
  const index = here.git("commit-tree", tree.trim(), "-p", head, "-m", "index");
  here.git(
    "update-ref",
    "refs/switchyard/work",
    here.git("commit-tree", tree.trim(), "-p", head, "-p", index, "-m", "x"),
  );
  const file = join(here.program.root, "tmp/other.bundle");
  here.git("bundle", "create", "--quiet", file, "refs/switchyard/work");
  const { id } = await there.read();
  const before = await look(there);
  const config = await readFile(join(there.project, ".git/config"), "utf8");
  expect(await there.write(id, new Blob([await readFile(file)]))).toMatchObject({ status: 422 });
  expect(await look(there)).toEqual(before);
  expect(await readFile(join(there.project, ".git/config"), "utf8")).toBe(config);
});
