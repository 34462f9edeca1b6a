// What `npm start -- --repo PATH` reads of a folder, and how its branches get into the practice
// code host.
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getBranchMove, type Relation } from "../../practice/code-host/branch-move.ts";
import { type PracticeCodeHost, startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { findTargetBranch, readOwnFolder, toRepositoryName } from "../../practice/own-repository/folder.ts";
import { readOwnRepository } from "../../practice/own-repository/own-repository.ts";
import { addRemote } from "../../practice/own-repository/remote.ts";
import { git as runGit } from "../support/git.ts";

let root: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "own-folder-")));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function git(cwd: string, ...args: string[]): Promise<string> {
  const named = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"];
  const { exitCode, stdout, stderr } = await runGit(cwd, [...named, ...args]);
  expect(`${exitCode} ${exitCode === 0 ? "" : stderr}`).toBe("0 ");
  return stdout;
}

async function commit(folder: string, file: string, content = file): Promise<string> {
  await writeFile(join(folder, file), content);
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "-m", file);
  return await git(folder, "rev-parse", "HEAD");
}

/** A folder with a repository of one commit. */
async function newRepository(path: string): Promise<string> {
  const folder = join(root, path);
  await mkdir(folder, { recursive: true });
  await git(folder, "init", "--quiet");
  await commit(folder, "README.md");
  return folder;
}

describe("a folder", () => {
  test("is a project with its own name and the branch that sessions start from", async () => {
    const path = await newRepository("a/My App");
    await writeFile(join(path, "draft.txt"), "not yet");
    expect(await readOwnFolder("My App", join(root, "a"))).toEqual({
      type: "folder",
      path,
      name: "My App",
      repository: "own/My-App",
      targetBranch: "main",
      uncommittedFiles: 1,
    });
  });

  test("is not changed, not even git's index", async () => {
    const path = await newRepository("still");
    await git(path, "status");
    const state = async () => {
      const names = await readdir(path, { recursive: true });
      return await Promise.all(names.map(async (name) => [name, (await lstat(join(path, name))).mtimeMs]));
    };
    // A file that is touched and not changed is one that git's status would note.
    await writeFile(join(path, "README.md"), "README.md");
    const before = await state();
    expect(await readOwnFolder(path, root)).toMatchObject({ uncommittedFiles: 0 });
    await codeHost.importFolder("own/still", { folder: path, defaultBranch: "main", onProgress: () => {} });
    expect(await state()).toEqual(before);
  });

  test.each<[string, (path: string) => Promise<unknown>, string]>([
    ["that is not there", async () => {}, "There is no folder"],
    ["that is a file", (path) => writeFile(path, ""), "is no folder."],
    ["without a repository", (path) => mkdir(path), "is no git repository. Make it one: git -C"],
    ["without a commit", (path) => git(root, "init", "--quiet", path), "has no commit yet. Make one: git -C"],
    ["that is bare", (path) => git(root, "init", "--quiet", "--bare", path), "is a bare repository."],
  ])("%s is refused in plain words", async (name, make, message) => {
    const path = join(root, name.replaceAll(" ", "-"));
    await make(path);
    expect(await readOwnFolder(path, root)).toContain(message);
  });

  test("inside of a repository is refused with the folder to use", async () => {
    const path = await newRepository("whole");
    await mkdir(join(path, "part"));
    expect(await readOwnFolder("part", path)).toBe(
      `${path}/part lies inside of the repository ${path}. Give that one: --repo ${path}`,
    );
    expect(await readOwnFolder(".git", path)).toContain("is the inside of a git repository.");
  });

  test("without a checked-out branch is refused with how to create one", async () => {
    const path = await newRepository("detached");
    await git(path, "switch", "--quiet", "--detach");
    await git(path, "branch", "-D", "main");
    expect(await readOwnFolder(path, root)).toBe(`${path} has no branch. Make one: git -C ${path} switch -c main`);
  });

  test("with another folder's name is refused until that folder no longer exists", async () => {
    const github = { token: null, apiUrl: "", serverUrl: "" };
    const options = { stateDir: join(root, "state"), from: root, addsRemote: false, github };
    const first = await newRepository("one/web");
    await newRepository("two/web");
    await codeHost.importFolder("own/web", { folder: first, defaultBranch: "main", onProgress: () => {} });
    expect(await readOwnRepository("one/web", options)).toMatchObject({ repository: "own/web" });
    expect(await readOwnRepository("two/web", options)).toContain(`The name own/web is taken by ${first}.`);
    await rm(first, { recursive: true });
    expect(await readOwnRepository("two/web", options)).toMatchObject({ repository: "own/web" });
  });
});

test.each([
  ["web", "web"],
  ["My App", "My-App"],
  [".dotfiles", "dotfiles"],
  ["site.git", "site"],
  ["Café", "Cafe"],
  ["日本", "repository"],
  ["a..", "a"],
])("the folder %s is the repository %s", (folder, name) => {
  expect(toRepositoryName(folder)).toBe(name);
});

test.each([
  [{ heads: ["main", "topic"], current: "topic", origin: null }, "main"],
  [{ heads: ["main", "trunk"], current: "main", origin: "origin/trunk" }, "trunk"],
  [{ heads: ["main"], current: "main", origin: "origin/trunk" }, "main"],
  [{ heads: ["develop", "work"], current: "work", origin: null }, "work"],
  [{ heads: ["develop", "work"], current: null, origin: null }, "develop"],
  [{ heads: [], current: "main", origin: null }, null],
])("with %j the Target Branch is %s", (facts, branch) => {
  expect(findTargetBranch(facts)).toBe(branch);
});

test.each<[string, Parameters<typeof getBranchMove>[0], Relation | "not asked", string]>([
  ["a new branch comes in", { present: null, before: null, now: "a" }, "not asked", "move"],
  ["one that was deleted at the code host stays away", { present: null, before: "a", now: "a" }, "not asked", "stay"],
  [
    "one that was deleted there and went on here comes back",
    { present: null, before: "a", now: "b" },
    "not asked",
    "move",
  ],
  ["an untouched one follows a rewritten history", { present: "a", before: "a", now: "b" }, "not asked", "move"],
  ["a pushed one stays where the folder has nothing new", { present: "b", before: "a", now: "a" }, "not asked", "stay"],
  ["a pushed one that the folder has merged follows", { present: "b", before: "a", now: "c" }, "behind", "move"],
  ["a pushed one that is further on stays", { present: "c", before: "a", now: "b" }, "ahead", "stay"],
  ["one that both went on with stays", { present: "b", before: "a", now: "c" }, "apart", "apart"],
])("%s", async (_, commits, relation, move) => {
  const asked = async () => {
    if (relation === "not asked") throw new Error("the commits decide");
    return relation;
  };
  expect(await getBranchMove(commits, asked)).toBe(move);
});

let codeHost: PracticeCodeHost;
beforeAll(async () => {
  codeHost = await startPracticeCodeHost({ folder: join(root, "state", "forge"), token: "code-host-token" });
});
afterAll(() => codeHost.close());

test("a folder that borrows its objects from another comes in with them", async () => {
  const lender = await newRepository("lender");
  const path = join(root, "borrower");
  await git(root, "clone", "--quiet", "--shared", lender, path);
  await codeHost.importFolder("own/borrower", { folder: path, defaultBranch: "main", onProgress: () => {} });
  await rm(lender, { recursive: true });
  expect(await git(root, "--git-dir", codeHost.getFolder("own/borrower"), "show", "main:README.md")).toBe("README.md");
});

test("a folder is imported again: newer commits are added, and pushed commits stay", async () => {
  const path = await newRepository("board");
  await git(path, "branch", "topic");
  await git(path, "tag", "v1");
  const progress: string[] = [];
  const importRepository = () =>
    codeHost.importFolder("own/board", {
      folder: path,
      defaultBranch: "main",
      onProgress: (line) => progress.push(line),
    });
  expect(await importRepository()).toMatchObject({ isNew: true, moved: [], apart: [] });
  expect(await importRepository()).toMatchObject({ isNew: false, moved: [], apart: [] });

  const url = `${codeHost.url.replace("://", "://x:code-host-token@")}/own/board.git`;
  const session = join(root, "session");
  await git(root, "clone", "--quiet", url, session);
  expect(await git(session, "for-each-ref", "--format=%(refname)", "refs/remotes")).not.toContain("imported");
  await git(session, "switch", "--quiet", "-c", "svc/work");
  await commit(session, "work.txt");
  await git(session, "push", "--quiet", "origin", "svc/work");
  await git(session, "switch", "--quiet", "topic");
  await commit(session, "pushed.txt");
  await git(session, "push", "--quiet", "origin", "topic");

  const newer = await commit(path, "newer.txt");
  await git(path, "switch", "--quiet", "topic");
  await commit(path, "other.txt");
  expect(await importRepository()).toMatchObject({ moved: ["main"], apart: ["topic"] });
  await git(session, "fetch", "--quiet");
  expect(progress).toContainEqual(expect.stringMatching(/^Counting objects: 100%/));
  expect(await git(session, "rev-parse", "origin/main")).toBe(newer);
  expect(await git(session, "ls-tree", "--name-only", "origin/topic")).toBe("README.md\npushed.txt");
  expect(await git(session, "ls-tree", "--name-only", "origin/svc/work")).toBe("README.md\nwork.txt");

  expect(await addRemote(path, codeHost.getFolder("own/board"))).toBeNull();
  expect(await addRemote(path, codeHost.getFolder("own/board"))).toBeNull();
  await git(path, "fetch", "--quiet", "switchyard");
  expect(await git(path, "ls-tree", "--name-only", "switchyard/svc/work")).toBe("README.md\nwork.txt");
  expect(await addRemote(path, "/elsewhere")).toContain("Remove it first");
});
