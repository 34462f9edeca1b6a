// Saved work over pauses: a session is edited, and its sandbox is stopped and woken twice. Its
// files, its branch, its index and its stash stay the same.
import { existsSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { git } from "../support/git.ts";
import { addProject } from "../support/held-sandbox.ts";
import { treeLines } from "../support/tree-hash.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const inside = createInside(world);
const getRoot = (sandboxKey: string) => `${world.stateDir}/sandboxes/${sandboxKey}`;

/** Everything that a sandbox holds for its user. The git commands that read it change nothing. */
async function readHoldings(sandboxKey: string) {
  const root = getRoot(sandboxKey);
  const asked = [
    ["rev-parse", "HEAD"],
    ["symbolic-ref", "HEAD"],
    ["for-each-ref"],
    ["ls-files", "--stage"],
    ["stash", "list"],
    ["status", "--porcelain=v2", "--branch", "--ignored"],
  ];
  const inGit: string[] = [];
  for (const args of asked)
    inGit.push((await git(world.stateDir, ["--no-optional-locks", "-C", `${root}/project`, ...args])).stdout);
  return { inGit, tree: treeLines(root, ["project", "home", "state/conversations"]) };
}

function openProject(projectId: string) {
  const owner = createClient({ ...world, projectId });
  const preview = (id: string) => `/api/projects/${projectId}/preview?sessionId=${id}`;
  return {
    owner,
    /** Stops the sandbox and waits until its process and its disk are gone. */
    async pause(sessionId: string, sandboxKey: string): Promise<void> {
      const stop = { sessionIds: [sessionId] };
      const answer = await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, stop);
      expect(answer.body.data.sessions).toMatchObject([{ stopped: true }]);
      await until("the sandbox's disk to be gone", () => !existsSync(getRoot(sandboxKey)));
    },
    async wake(sessionId: string): Promise<void> {
      const path = `/api/projects/${projectId}/preview/health?sessionId=${sessionId}`;
      await until("the preview to be healthy", async () => {
        if ((await owner.get(path)).body.data.state === "healthy") return true;
        await owner.get(preview(sessionId));
        return false;
      });
    },
  };
}

/** Adds a commit with another file to the main branch of the code host, as a merge does. */
async function merge(file: string): Promise<string> {
  const where = ["--git-dir", `${world.stateDir}/forge/repositories/acme/demo-app.git`];
  const atCodeHost = async (...args: string[]) =>
    (await git(world.stateDir, [...where, "-c", "user.name=A", "-c", "user.email=a@a.example", ...args], index)).stdout;
  const index = { GIT_INDEX_FILE: `${world.stateDir}/merge-index` };
  await atCodeHost("read-tree", "main");
  await atCodeHost(
    "update-index",
    "--add",
    "--cacheinfo",
    `100644,${await atCodeHost("rev-parse", "main:README.md")},${file}`,
  );
  const before = await atCodeHost("rev-parse", "main");
  // This file shares its world with other files.
  onTestFinished(async () => void (await atCodeHost("update-ref", "refs/heads/main", before)));
  const commit = await atCodeHost("commit-tree", await atCodeHost("write-tree"), "-p", "main", "-m", `adds ${file}`);
  await atCodeHost("update-ref", "refs/heads/main", commit);
  return commit;
}

const edit = (cycle: number) => [
  `echo cycle ${cycle} >> README.md && git add README.md`,
  cycle % 2 === 1 ? `git commit -q -m 'cycle ${cycle}'` : "git stash push -q README.md",
  `echo ${cycle} > untracked-${cycle} && rm -f untracked-${cycle - 1} && ln -sfn untracked-${cycle} newest && chmod 7${cycle}0 newest`,
  `mkdir -p ignored/empty && echo ignored > .gitignore && echo ${cycle} > 'ignored/ü ${cycle}'`,
  `echo staged in ${cycle} > staged && git add staged && echo and changed > staged`,
];

test("of a small project is identical after each of two pauses, including the agent's conversation", async () => {
  const { owner, pause, wake } = openProject(world.projectId);
  const { id, path } = await owner.createSession({ title: "Two pauses" });
  const { status } = await owner.run(path, { say: "Ready." });
  expect(status).toBe("completed");
  const sandboxKey = await owner.getSandboxKey(id);
  for (let cycle = 1; cycle <= 2; cycle++) {
    const job = await owner.run(path, ...edit(cycle).map((bash) => ({ bash })), { say: `Cycle ${cycle}.` });
    expect(job).toMatchObject({ status: "completed" });
    const before = await readHoldings(sandboxKey);
    await pause(id, sandboxKey);
    await wake(id);
    expect(await readHoldings(sandboxKey)).toEqual(before);
    expect(await inside.storedKeys(`sandboxes/${sandboxKey}/`)).toHaveLength(1);
  }
  expect(await inside.storedKeys(`bases/${world.projectId}/`)).toEqual([]);
  await owner.delete(path);
  await until("the saved work to be gone", async () => {
    return (await inside.storedKeys(`sandboxes/${sandboxKey}/`)).length === 0;
  });
});

test("of a large project uses a prebuild that its sessions share, and is identical after each pause", async () => {
  const dependencies = "head -c 5000000 /dev/urandom > dependencies";
  // Like dependencies, in a folder that git ignores.
  const noteCommit = "mkdir -p kept && echo '*' > kept/.gitignore && git rev-parse HEAD >> kept/commits";
  const projectId = await addProject(world, dependencies, noteCommit);
  const { owner, pause, wake } = openProject(projectId);
  const sessions: { id: string; path: string; sandboxKey: string }[] = [];
  for (const title of ["Without", "First", "Second"]) {
    const { id, path } = await owner.createSession({ title });
    await owner.run(path, ...edit(1).map((bash) => ({ bash })), { say: title });
    sessions.push({ id, path, sandboxKey: await owner.getSandboxKey(id) });
    const base = "SELECT 1 FROM sandbox_bases WHERE project_id = ?1 AND state = 'ready'";
    await until("the base to be made", async () => (await inside.sql(base, projectId)).length === 1);
  }
  const [dependenciesWithout, dependenciesOfFirst, dependenciesOfSecond] = sessions.map(({ sandboxKey }) =>
    treeLines(getRoot(sandboxKey), ["project/dependencies"]),
  );
  // Random, and therefore created once for all who share it.
  expect(dependenciesOfSecond).toEqual(dependenciesOfFirst);
  expect(dependenciesOfFirst).not.toEqual(dependenciesWithout);
  expect(await inside.storedKeys(`bases/${projectId}/`)).toHaveLength(1);
  for (const { id, path, sandboxKey } of sessions) {
    await owner.run(
      path,
      { bash: "rm -rf public && echo 1 >> dependencies && echo 2 > README.md" },
      { say: "Changed." },
    );
    for (let pauses = 1; pauses <= 2; pauses++) {
      const before = await readHoldings(sandboxKey);
      await pause(id, sandboxKey);
      await wake(id);
      expect(await readHoldings(sandboxKey)).toEqual(before);
    }
  }
  // After a merge the prebuild is updated: it gets the commit's files, and setup runs again on the
  // previous contents.
  const [before] = readFileSync(`${getRoot(sessions[1]?.sandboxKey ?? "")}/project/kept/commits`, "utf8").split("\n");
  const after = await merge("merged.md");
  const { id, path } = await owner.createSession({ title: "After a merge" });
  await owner.run(path, { bash: "echo mine >> merged.md && git add merged.md" }, { say: "Seen." });
  const sandboxKey = await owner.getSandboxKey(id);
  const read = (file: string) => readFileSync(`${getRoot(sandboxKey)}/project/${file}`, "utf8");
  expect([read("merged.md"), read("kept/commits")]).toEqual([`${read("README.md")}mine\n`, `${before}\n${after}\n`]);
  const held = await readHoldings(sandboxKey);
  await pause(id, sandboxKey);
  await wake(id);
  expect(await readHoldings(sandboxKey)).toEqual(held);
  // The update was too short to justify another prebuild.
  expect(await inside.storedKeys(`bases/${projectId}/`)).toHaveLength(1);
  for (const session of [...sessions, { path }]) await owner.delete(session.path);
});

test.each([
  ["a branch without a commit", "git checkout -q --orphan gh-pages; git rm -rfq --cached ."],
  ["a configuration that git cannot read", "echo '[broken' >> .git/config"],
])("wakes with %s, so that the agent can repair it", async (_, breakIt) => {
  const { owner, pause, wake } = openProject(world.projectId);
  const { id, path } = await owner.createSession({ title: "Broken" });
  await owner.run(path, { bash: `echo important > page.html; ${breakIt}` }, { say: "Broken." });
  const sandboxKey = await owner.getSandboxKey(id);
  const before = treeLines(getRoot(sandboxKey), ["project"]);
  await pause(id, sandboxKey);
  await wake(id);
  expect(treeLines(getRoot(sandboxKey), ["project"])).toEqual(before);
  const mended = await owner.run(path, { bash: "cat page.html" }, { say: "Seen." });
  expect(mended).toMatchObject({ status: "completed" });
  await owner.delete(path);
});

test("of a project that was moved and is now a symbolic link comes back from its new folder", async () => {
  const { owner, pause, wake } = openProject(world.projectId);
  const { id, path } = await owner.createSession({ title: "Moved" });
  const move = "echo important > page.html && cd .. && mv project project2 && ln -s project2 project";
  await owner.run(path, { bash: move }, { say: "Moved." });
  const sandboxKey = await owner.getSandboxKey(id);
  const before = treeLines(getRoot(sandboxKey), ["project", "project2"]);
  await pause(id, sandboxKey);
  await wake(id);
  expect(treeLines(getRoot(sandboxKey), ["project", "project2"])).toEqual(before);
  await owner.delete(path);
});
