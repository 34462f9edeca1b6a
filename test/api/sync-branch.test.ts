// svc:sync-branch as clients see it: what was merged, what was asked about a conflict, and the tree
// that each answer leads to, in the sandbox and on the code host.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const cleo = createCollaborator(world);
let bases = 0;

const commitAll = "git add -A && git commit -q -m mine";
const push = "git push -q origin HEAD";
const write = (path: string, content: string) => ({ write: { path, content } });

const titles = ["Keep this branch's version", "Take the Target Branch's version", "Another resolution"];
const sync = (input: object) => ({ tool: { name: "sync_branch", input } });

type Working = Awaited<ReturnType<typeof working>>;

/** A session with a Target Branch of its own, and with commits of its own. */
async function working({ client = owner, isPublished = true, files = { "notes.txt": "mine\n" } } = {}) {
  const base = `base-${process.pid}-${++bases}`;
  await cleo.commit(base, { "notes.txt": "old\n", "kept.txt": "old\n" }, "main");
  const steps = Object.entries(files).map(([path, content]) => write(path, content));
  const bash = isPublished ? `${commitAll} && ${push}` : commitAll;
  const content = script(...steps, { bash }, { say: "Done." });
  const session = await client.createSession({ title: "Sync", targetBranch: base, content });
  await client.jobUntil(session.path, session.jobId);
  const record = async () => (await client.get(session.path)).body.data.session;
  const { branch } = await record();
  const file = (path: string) => client.get(`${session.path}/preview/files/content?path=${encodeURIComponent(path)}`);
  return {
    ...session,
    base,
    branch,
    record,
    /** Sends a message, and returns the ended job with the agent's text. */
    async say(message: string, more: object = {}) {
      const sent = await client.send(session.path, message, { ...more });
      const job = await client.jobUntil(session.path, sent.body.data.chatJobId);
      return { status: job.status, blocks: await client.listBlocks(session.path, job.id) };
    },
    file: async (path: string) => (await file(path)).body.data?.content,
    state: async () => (await client.get(`${session.path}/preview/git-state`)).body.data,
    /** A file of the session's branch on the code host. */
    atHost: (path: string) => cleo.atHost("show", `${branch}:${path}`),
  };
}

test("an unpublished branch is behind until the Target Branch is merged into it", async () => {
  const session = await working({ isPublished: false });
  expect((await session.record()).isBehind).toBe(false);
  await cleo.commit(session.base, { "theirs.txt": "theirs\n" });
  await until("the session to be behind", async () => (await session.record()).isBehind);
  const listed = (await owner.get("/api/chat-sessions?pageSize=100")).body.data;
  expect(listed.find(({ sessionPath }: { sessionPath: string }) => sessionPath === session.path).isBehind).toBe(true);

  const bash = `git fetch -q origin && git merge -q --no-edit origin/${session.base}`;
  await session.say(script({ bash }, { say: "Merged, and not pushed." }));
  await until("the session to be up to date", async () => !(await session.record()).isBehind);
  expect(await cleo.atHost("branch", "--list", session.branch)).toBe("");
});

test("a checkout of a preview is behind too, and a session without a sandbox is not", async () => {
  const base = `base-${process.pid}-${++bases}`;
  await cleo.commit(base, { "notes.txt": "old\n" }, "main");
  const [seen, unseen] = await Promise.all(
    ["Seen", "Unseen"].map((title) => owner.createSession({ title, targetBranch: base })),
  );
  const isBehind = async (session = seen) => (await owner.get(session?.path ?? "")).body.data.session.isBehind;
  const read = () => owner.get(`/api/projects/${world.projectId}/preview?sessionId=${seen?.id}`);
  await until("the preview to be there", async () => (await read()).body.data.provisioning === undefined);
  expect(await isBehind()).toBe(false);
  await cleo.commit(base, { "theirs.txt": "theirs\n" });
  await until("the session to be behind", () => isBehind());
  expect(await isBehind(unseen)).toBe(false);
});

test("the Target Branch is merged and pushed, and the session is no longer behind", async () => {
  const session = await working();
  await cleo.commit(session.base, { "theirs.txt": "theirs\n" });
  await until("the session to be behind", async () => (await session.record()).isBehind);

  expect(await session.say("/svc:sync-branch")).toMatchObject({ status: "completed" });
  await until("the session to be up to date", async () => !(await session.record()).isBehind);
  expect([await session.file("theirs.txt"), await session.atHost("theirs.txt")]).toEqual(["theirs\n", "theirs"]);
  expect(await cleo.atHost("log", "-1", "--format=%s", session.branch)).toBe(
    `Merge branch '${session.base}' into ${session.branch}`,
  );
  expect(await session.state()).toMatchObject({ hasUncommittedChanges: false, hasUnpushedCommits: false });

  const again = await session.say("/svc:sync-branch");
  expect(JSON.stringify(again.blocks)).toContain("already has everything");
});

test("the base of the open pull request is merged if it is not the Target Branch", async () => {
  const session = await working();
  const other = `${session.base}-other`;
  await cleo.commit(other, { "of the base.txt": "base\n" }, session.base);
  const { number } = await cleo.call("POST", "/pulls", { title: "A change", head: session.branch, base: other });
  await until("the pull request to be known", async () => (await session.record()).prNumber === number);
  await session.say("/svc:sync-branch");
  expect(await session.file("of the base.txt")).toBe("base\n");
});

test("an unpublished branch is rebased, a published one only on request", async () => {
  const session = await working({ isPublished: false });
  await cleo.commit(session.base, { "theirs.txt": "theirs\n" });
  expect(await session.say("/svc:sync-branch")).toMatchObject({ status: "completed" });
  await cleo.commit(session.base, { "theirs too.txt": "theirs\n" });
  expect(await session.say("/svc:sync-branch and rebase it, please")).toMatchObject({ status: "completed" });
  expect(await cleo.atHost("log", "-3", "--format=%s", session.branch)).toBe("mine\nfrom elsewhere\nfrom elsewhere");
  expect(await session.atHost("notes.txt")).toBe("mine");
});

describe("a conflict", () => {
  let session: Working;
  let rounds = 0;
  beforeAll(async () => {
    session = await working();
  });
  afterAll(() => owner.delete(session.path));

  /** Makes both sides change the same file, each in its own way. */
  async function disagree() {
    const round = ++rounds;
    const [mine, theirs] = [`mine ${round}\n`, `theirs ${round}\n`];
    await session.say(script(write("notes.txt", mine), { bash: `${commitAll} && ${push}` }, { say: "Done." }));
    await cleo.commit(session.base, { "notes.txt": theirs, "theirs.txt": theirs });
    return { mine, theirs, both: mine + theirs, before: await cleo.atHost("rev-parse", session.branch) };
  }

  const bothLines = { bash: "sed -i '/^[<=>]\\{7\\}/d' notes.txt" };
  test.each<[answer: string | undefined, more: object, notes: "mine" | "theirs" | "both"]>([
    [titles[0]?.toLowerCase(), {}, "mine"],
    ["", { answers: [{ question: "QUESTION", option: 1 }] }, "theirs"],
    [`Both.\n${script(sync({ resolution: "by-hand" }), bothLines, sync({ finish: true }))}`, {}, "both"],
  ])("is asked about, and the answer %j with %j settles it", async (answer = "", more, notes) => {
    const { before, ...sides } = await disagree();

    const asked = await session.say("/svc:sync-branch");
    const question = `This branch and ${session.base} conflict in notes.txt. Which version should be kept?`;
    expect(asked.status).toBe("awaiting_response");
    expect(asked.blocks.at(-1)).toMatchObject({
      type: "clarification",
      clarificationData: {
        questions: [{ question, options: titles.map((title, place) => ({ title, isRecommended: place === 0 })) }],
      },
    });
    expect(await session.file("notes.txt")).toBe(sides.mine);
    expect(await session.state()).toMatchObject({ hasUncommittedChanges: false, hasUnpushedCommits: false });
    expect(await cleo.atHost("rev-parse", session.branch)).toBe(before);

    const chosen = JSON.parse(JSON.stringify(more).replace("QUESTION", question));
    expect(await session.say(answer, chosen)).toMatchObject({ status: "completed" });
    const made = [sides[notes], sides.theirs];
    expect([await session.file("notes.txt"), await session.file("theirs.txt")]).toEqual(made);
    expect([await session.atHost("notes.txt"), await session.atHost("theirs.txt")]).toEqual(
      made.map((content) => content.trim()),
    );
    expect(await cleo.atHost("rev-parse", `${session.branch}^1`, `${session.branch}^2`)).toBe(
      `${before}\n${await cleo.atHost("rev-parse", session.base)}`,
    );
    expect(await session.state()).toMatchObject({ hasUncommittedChanges: false, hasUnpushedCommits: false });
  });
});

test("the question survives a pause of the sandbox", async () => {
  const session = await working();
  await cleo.commit(session.base, { "notes.txt": "theirs\n" });
  await session.say("/svc:sync-branch");
  await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [session.id] });
  await until("the sandbox to be paused", async () => !(await session.state()).available);
  expect(await session.say("Take the Target Branch's version")).toMatchObject({ status: "completed" });
  expect(await session.atHost("notes.txt")).toBe("theirs");
});

describe("an unresolved conflict", () => {
  let session: Working;
  beforeAll(async () => {
    session = await working();
    await cleo.commit(session.base, { "notes.txt": "theirs\n" });
  });
  afterAll(() => owner.delete(session.path));

  test("no model resolves a conflict without the user's choice", async () => {
    const choose = script({ tool: { name: "sync_branch", input: { resolution: "base" } } });
    expect(await session.say(`/svc:sync-branch\n${choose}`)).toMatchObject({ status: "awaiting_response" });
    expect(await session.file("notes.txt")).toBe("mine\n");
  });

  test("conflicts that the agent was to resolve are undone if the turn ends without a resolution", async () => {
    await session.say("/svc:sync-branch");
    const marks = { tool: { name: "sync_branch", input: { resolution: "by-hand" } } };
    const left = await session.say(`As you like.\n${script(marks, { bash: "cat notes.txt" }, { say: "Tired." })}`);
    expect(JSON.stringify(left.blocks)).toContain("<<<<<<<");
    expect(await session.file("notes.txt")).toBe("mine\n");
    expect(await session.state()).toMatchObject({ hasUncommittedChanges: false, hasUnpushedCommits: false });
  });

  test("a user who wants something else gets it, with the branch unchanged", async () => {
    await session.say("/svc:sync-branch");
    expect(await session.say(script(write("new.txt", "new\n"), { bash: commitAll }, { say: "Done." }))).toMatchObject({
      status: "completed",
    });
    expect([await session.file("notes.txt"), await session.file("new.txt")]).toEqual(["mine\n", "new\n"]);
    expect(await session.say("/svc:sync-branch")).toMatchObject({ status: "awaiting_response" });
  });

  test("after a message about something else the user is reminded of the conflict, and their next message is no answer", async () => {
    await session.say("/svc:sync-branch");
    const other = await session.say("Have a look at the readme and say what the project is about.");
    expect(other.status).toBe("completed");
    expect(other.blocks.at(-1)).toMatchObject({
      type: "text",
      content: expect.stringContaining(`The conflict with ${session.base} in notes.txt still waits`),
    });
    const next = await session.say("not mine");
    expect(next.status).toBe("completed");
    expect(JSON.stringify(next.blocks)).not.toContain("still waits");
  });

  test("an ambiguous answer leads to another question, and is never taken as its opposite", async () => {
    const asked = await session.say("/svc:sync-branch");
    for (const answer of ["don't take the target branch's version", "not mine"]) {
      const again = await session.say(answer);
      expect(again.status).toBe("awaiting_response");
      expect(again.blocks.at(-1)).toEqual(asked.blocks.at(-1));
      expect(await session.file("notes.txt")).toBe("mine\n");
    }
    expect(await session.say("2")).toMatchObject({ status: "completed" });
    expect(await session.atHost("notes.txt")).toBe("theirs");
  });
});

test("no agent overrides the option that the user chose", async () => {
  const session = await working();
  await cleo.commit(session.base, { "notes.txt": "theirs\n" });
  await session.say("/svc:sync-branch");
  const other = script(sync({ resolution: "base" }), { say: "Done." });
  await session.say(other, { answers: [{ question: 0, option: titles[0] }] });
  expect(await session.file("notes.txt")).toBe("mine\n");
  expect(await cleo.atHost("log", "-1", "--format=%s", session.branch)).toContain("Merge branch");
});

test("uncommitted work is kept, and if it conflicts with the sync, nothing is done", async () => {
  const session = await working();
  await cleo.commit(session.base, { "theirs.txt": "theirs\n" });
  await session.say(script(write("kept.txt", "mine, uncommitted\n"), { say: "Done." }));
  expect(await session.say("/svc:sync-branch")).toMatchObject({ status: "completed" });
  expect([await session.file("kept.txt"), await session.file("theirs.txt")]).toEqual([
    "mine, uncommitted\n",
    "theirs\n",
  ]);
  expect(await session.state()).toMatchObject({ hasUncommittedChanges: true, hasUnpushedCommits: false });

  await cleo.commit(session.base, { "kept.txt": "theirs\n" });
  const refused = await session.say("/svc:sync-branch");
  expect(JSON.stringify(refused.blocks)).toContain("Uncommitted work is in files that would change: kept.txt.");
  expect(await session.file("kept.txt")).toBe("mine, uncommitted\n");
});

test("with Manual commits the merge stays in the sandbox until it is pushed", async () => {
  const admin = createClient(world, "admin");
  const setting = "UPDATE users SET auto_commit = ? WHERE id = ?";
  await createInside(world).sql(setting, 0, world.users.admin.id);
  try {
    const session = await working({ client: admin });
    const before = await cleo.atHost("rev-parse", session.branch);
    await cleo.commit(session.base, { "theirs.txt": "theirs\n" });
    await until("the session to be behind", async () => (await session.record()).isBehind);
    await session.say("/svc:sync-branch");
    expect(await session.file("theirs.txt")).toBe("theirs\n");
    expect(await cleo.atHost("rev-parse", session.branch)).toBe(before);
    expect(await session.state()).toMatchObject({ hasUnpushedCommits: true });
    await until("the session to be up to date", async () => !(await session.record()).isBehind);
    await admin.post(`${session.path}/preview/git/push`);
    expect(await session.atHost("theirs.txt")).toBe("theirs");
  } finally {
    await createInside(world).sql(setting, 1, world.users.admin.id);
  }
});
