// Git in a session's sandbox: its state through every step, a commit, and a push that reaches the
// code host.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient, script } from "../support/client.ts";
import { git } from "../support/git.ts";
import { startBrowser } from "../support/sign-in-browser.ts";

const world = apiWorld();
const owner = createClient(world);
const repositories = `${world.stateDir}/forge/repositories`;
const clean = {
  available: true,
  hasUncommittedChanges: false,
  hasUnpushedCommits: false,
  hasCommitsAheadOfBase: false,
};
let session: string;
let branch: string;
let bare: string;

beforeAll(async () => {
  const created = await owner.createSession({ title: "Git", content: script({ say: "Ready." }) });
  session = created.path;
  branch = (await owner.get(session)).body.data.session.branch;
  const { repository } = (await owner.get(`/api/projects/${world.projectId}`)).body.data;
  bare = `${repositories}/${repository}.git`;
  await owner.jobUntil(session, created.jobId);
});

const state = async () => (await owner.get(`${session}/preview/git-state`)).body.data;
const commit = (message: string, person = owner) => person.post(`${session}/preview/git/commit`, { message });
const push = () => owner.post(`${session}/preview/git/push`);
const edit = (content: string) =>
  owner.put(`${session}/preview/files/content`, { path: "README.md", content, clientId: randomUUID() });
const atCodeHost = async (...args: string[]) => (await git(world.stateDir, ["--git-dir", bare, ...args])).stdout;

async function published(): Promise<string | undefined> {
  const { stdout } = await git(world.stateDir, ["ls-remote", bare, `refs/heads/${branch}`]);
  return stdout.split("\t")[0] || undefined;
}

test("a change, a commit and a push appear in the git state, and the push arrives at the code host", async () => {
  expect(await state()).toEqual(clean);
  expect(await published()).toBeUndefined();

  await edit("# Written through the API\n");
  expect(await state()).toEqual({ ...clean, hasUncommittedChanges: true });

  const made = await commit('Say what this is\n\nWith a body, "quotes" and # a hash.');
  expect([made.status, made.body]).toEqual([200, { data: { sha: expect.stringMatching(/^[0-9a-f]{40}$/) } }]);
  const { sha } = made.body.data;
  expect(await state()).toEqual({ ...clean, hasUnpushedCommits: true, hasCommitsAheadOfBase: true });
  expect(await published()).toBeUndefined();

  const pushed = await push();
  expect([pushed.status, pushed.body]).toEqual([200, { data: { ok: true } }]);
  expect(await state()).toEqual({ ...clean, hasCommitsAheadOfBase: true });
  expect(await published()).toBe(sha);
  expect(await atCodeHost("show", `${sha}:README.md`)).toBe("# Written through the API");
  expect(await atCodeHost("log", "-1", "--format=%B", sha)).toBe(
    'Say what this is\n\nWith a body, "quotes" and # a hash.',
  );
});

test("a commit contains all changes: new, changed and deleted files", async () => {
  await owner.run(
    session,
    { bash: "mkdir -p deep/er; echo new > deep/er/new.txt; rm server.js; echo '# more' >> README.md" },
    { say: "Changed." },
  );
  const { sha } = (await commit("Everything")).body.data;
  expect((await state()).hasUncommittedChanges).toBe(false);
  await push();
  const changed = (await atCodeHost("show", "--name-status", "--format=", sha)).split("\n").sort();
  expect(changed).toEqual(["A\tdeep/er/new.txt", "D\tserver.js", "M\tREADME.md"]);
});

test("a commit of the agent is pushed with the others", async () => {
  await owner.run(
    session,
    { bash: "echo agent > agent.txt; git add -A; git commit -qm 'By the agent'" },
    { say: "Done." },
  );
  expect(await state()).toEqual({ ...clean, hasUnpushedCommits: true, hasCommitsAheadOfBase: true });
  expect((await push()).status).toBe(200);
  expect(await atCodeHost("log", "-1", "--format=%s %ae", branch)).toBe("By the agent agent@switchyard.invalid");
});

test("a push without commits, and two concurrent pushes, succeed", async () => {
  const before = await published();
  const answers = await Promise.all([push(), push()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await published()).toBe(before);
});

test("a commit without changes returns 400 BAD_REQUEST", async () => {
  const { status, body } = await commit("Nothing");
  expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
});

test("a push that is behind the code host's branch returns 400 and changes nothing there", async () => {
  const ours = await published();
  const theirs = await atCodeHost("rev-parse", "main");
  const tree = await atCodeHost("rev-parse", `${branch}^{tree}`);
  const identity = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@a",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@a",
  };
  const other = await git(
    world.stateDir,
    ["--git-dir", bare, "commit-tree", tree, "-p", ours ?? "", "-m", "Elsewhere"],
    identity,
  );
  await atCodeHost("update-ref", `refs/heads/${branch}`, other.stdout);
  await edit("# Meanwhile here\n");
  await commit("Here");
  const { status, body } = await push();
  expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
  expect(await published()).toBe(other.stdout);
  expect(await atCodeHost("rev-parse", "main")).toBe(theirs);
});

describe("a commit message has 1 to 2,000 characters", () => {
  test.each([
    ["one character", "x"],
    ["2,000 characters", "m".repeat(2_000)],
    ["2,000 characters of three bytes", "語".repeat(2_000)],
    ["a leading dash", "--amend"],
    ["lines that look like comments", "# not a comment\n# nor this"],
  ])("%s", async (_, message) => {
    await edit(`${randomUUID()}\n`);
    const made = await commit(message);
    expect(made.status).toBe(200);
    const job = await owner.run(session, { bash: "git log -1 --format=%B" }, { say: "Seen." });
    expect((await owner.listBlocks(session, job.id))[0]?.output).toBe(`${message}\n`);
  });
});

test.each([
  ["must not be blank", " \n "],
  ["must not hold a NUL", "a\0b"],
  ["must not hold half of a surrogate pair", "a\ud800"],
])("a message that git would change is refused with %j, and commits nothing", async (why, message) => {
  await edit(`${randomUUID()}\n`);
  const { status, body } = await commit(message);
  expect([status, body.code, body.error]).toEqual([400, "VALIDATION_ERROR", expect.stringContaining(why)]);
  expect((await state()).hasUncommittedChanges).toBe(true);
});

test("content that would not be stored unchanged is refused, and the file does not change", async () => {
  const before = (await owner.get(`${session}/preview/files/content?path=README.md`)).body.data.content;
  const { status, body } = await edit("half \ud800");
  expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect((await owner.get(`${session}/preview/files/content?path=README.md`)).body.data.content).toBe(before);
});

test("the author is the caller's account at the code host, or the service's app if they have not connected one", async () => {
  const authorOfNext = async (text: string) => {
    await edit(text);
    expect((await commit("By a member", createClient(world, "member"))).status).toBe(200);
    const job = await owner.run(session, { bash: "git log -1 --format='%an <%ae>|%cn'" }, { say: "Seen." });
    return (await owner.listBlocks(session, job.id))[0]?.output;
  };
  const app = "Switchyard <app@switchyard.invalid>|Switchyard\n";
  const browser = startBrowser(world, (await signIn(world, "member")).cookie);
  const disconnect = () => browser.call("POST", "/api/auth/github/disconnect");
  await disconnect();
  expect(await authorOfNext("# Not connected\n")).toBe(app);
  await browser.signIn("mia-member");
  expect(await authorOfNext("# Connected\n")).toMatch(/^Mia Member <[^@>]*mia-member@[^>]+>\|Mia Member\n$/);
  await disconnect();
  expect(await authorOfNext("# Connected no more\n")).toBe(app);
});

describe("a repository that an agent has changed", () => {
  let other: string;
  const refusedBy = async (route: string) => {
    const body = route === "commit" ? { message: "m" } : undefined;
    const answer = await owner.post(`${other}/preview/git/${route}`, body);
    expect([answer.status, answer.body.code]).toEqual([400, "BAD_REQUEST"]);
    return answer.body.error;
  };

  beforeAll(async () => {
    const created = await owner.createSession({ title: "Left", content: script({ say: "Ready." }) });
    other = created.path;
    await owner.jobUntil(other, created.jobId);
  });

  test("a commit and a push without a checked-out branch return 400 and name the branch to check out", async () => {
    await owner.run(other, { bash: "git checkout -q --detach; echo x > x.txt" }, { say: "Left." });
    for (const route of ["commit", "push"]) {
      expect(await refusedBy(route)).toMatch(/on no branch instead of the session's branch svc\/left-.*switch back/);
    }
    await owner.run(other, { bash: "git checkout -q -" }, { say: "Back." });
    expect((await owner.post(`${other}/preview/git/commit`, { message: "Back" })).status).toBe(200);
  });

  test("a session whose turn deleted the repository has it again in the next turn, with its files", async () => {
    await owner.run(other, { bash: "rm -rf .git; echo kept > kept.txt" }, { say: "Gone." });
    for (const route of ["commit", "push"])
      expect(await refusedBy(route)).toMatch(/no longer a git repository.*Send a message/);
    const state = await owner.get(`${other}/preview/git-state`);
    expect([state.status, state.body.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    const job = await owner.run(other, { bash: "git status --short --branch" }, { say: "Here." });
    expect(job.status).toBe("completed");
    const output = (await owner.listBlocks(other, job.id))[0]?.output;
    expect(output).toMatch(/^## svc\/left-[\s\S]*\n\?\? kept.txt\n/);
    expect((await owner.post(`${other}/preview/git/commit`, { message: "Again" })).status).toBe(200);
    expect((await owner.post(`${other}/preview/git/push`)).status).toBe(200);
  });

  test("a session that was paused without its repository has it again", async () => {
    const id = other.split("/").at(-1);
    await owner.run(other, { bash: "rm -rf .git; echo later > later.txt" }, { say: "Gone." });
    await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [id] });
    expect((await owner.post(`${other}/preview/git/commit`, { message: "Woken" })).status).toBe(200);
    const files = (await owner.get(`${other}/preview/files`)).body.data.files.map(({ name }: { name: string }) => name);
    expect(files).toEqual(expect.arrayContaining(["kept.txt", "later.txt", "x.txt"]));
  });
});

describe("a session whose sandbox was never woken", () => {
  test("has no git state, and a request for it does not wake it", async () => {
    const { id, path } = await owner.createSession({ title: "Asleep" });
    expect((await owner.get(`${path}/preview/git-state`)).body).toEqual({
      data: { available: false, hasUncommittedChanges: false, hasUnpushedCommits: false, hasCommitsAheadOfBase: false },
    });
    for (const [route, body] of [
      ["commit", { message: "m" }],
      ["push", undefined],
    ] as const) {
      const refused = await owner.post(`${path}/preview/git/${route}`, body);
      expect([refused.status, refused.body.code]).toEqual([400, "BAD_REQUEST"]);
    }
    const health = await owner.get(`/api/projects/${world.projectId}/preview/health?sessionId=${id}`);
    expect(health.body.data.needsStart).toBe(true);
  });
});
