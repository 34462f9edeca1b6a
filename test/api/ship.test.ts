// svc:ship as clients see it: merged immediately, merged when checks pass, and the message when it
// is not merged.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { closedGate } from "../support/gate.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const cleo = createCollaborator(world);
let bases = 0;

/** A session whose branch is published, with a pull request unless the test wants none. */
async function proposed({ pullRequest = true, draft = false } = {}) {
  const base = `ship-${process.pid}-${++bases}`;
  await cleo.commit(base, { "notes.txt": "old\n" }, "main");
  const steps = [
    { write: { path: "notes.txt", content: "mine\n" } },
    { bash: "git commit -qam mine && git push -q origin HEAD" },
  ];
  const session = await owner.createSession({ title: "Ship", targetBranch: base, content: script(...steps) });
  await owner.jobUntil(session.path, session.jobId);
  const record = async () => (await owner.get(session.path)).body.data.session;
  const { branch } = await record();
  let number = 0;
  if (pullRequest) {
    ({ number } = await cleo.call("POST", "/pulls", { title: "Notes", head: branch, base, draft }));
    await until("the pull request to be known", async () => (await record()).prNumber === number);
  }
  return {
    ...session,
    base,
    branch,
    number,
    record,
    async say(message: string) {
      const sent = await owner.send(session.path, message);
      const job = await owner.jobUntil(session.path, sent.body.data.chatJobId);
      return { status: job.status, told: JSON.stringify(await owner.listBlocks(session.path, job.id)) };
    },
    status: async () => (await record()).status,
    check: async (state: string, context = "tests") =>
      cleo.call("POST", `/statuses/${await cleo.atHost("rev-parse", branch)}`, { state, context }),
    atBase: () => cleo.atHost("show", `${base}:notes.txt`),
  };
}

test.each([
  ["ready", false],
  ["a draft", true],
])("without checks a pull request that is %s is merged, and the session completes after the turn", async (_, draft) => {
  const session = await proposed({ draft });
  const shipped = await session.say("/svc:ship");
  expect(shipped).toMatchObject({
    status: "completed",
    told: expect.stringContaining("The pull request is merged."),
  });
  await until("the session to be completed", async () => (await session.status()) === "completed");
  expect(await session.atBase()).toBe("mine");
  expect(await session.record()).toMatchObject({ prState: "merged" });
  const { data } = (await owner.get(`/api/organizations/${world.workspaceId}/audit?limit=100`)).body;
  expect(data).toContainEqual(
    expect.objectContaining({
      ...{ operation: "agent.ship", via: "agent", keyId: null },
      actor: expect.objectContaining({ kind: "agent", sessionId: session.id }),
      target: expect.objectContaining({ sessionId: session.id }),
    }),
  );
});

test("unpushed commits are shipped too, and uncommitted changes prevent shipping", async () => {
  const session = await proposed();
  await session.say(script({ write: { path: "notes.txt", content: "newer\n" } }));
  expect((await session.say("/svc:ship")).told).toContain(
    "Nothing was shipped, because these changes are not committed",
  );
  expect(await session.status()).toBe("active");
  await session.say(script({ bash: "git commit -qam newer" }));
  await session.say("/svc:ship");
  await until("the session to be completed", async () => (await session.status()) === "completed");
  expect(await session.atBase()).toBe("newer");
});

test("during checks the session is Under Review, and completes once they have passed", async () => {
  const session = await proposed();
  await session.check("pending");
  await session.check("pending", "lint");
  const shipped = await session.say("/svc:ship");
  expect(shipped).toMatchObject({
    status: "completed",
    told: expect.stringMatching(/Checks are still running: (tests, lint|lint, tests)/),
  });
  expect(await session.record()).toMatchObject({ status: "under-review", prState: "open" });

  await session.check("success", "lint");
  await session.check("success");
  await until("the session to be completed", async () => (await session.status()) === "completed");
  expect(await session.atBase()).toBe("mine");
});

test("a failed check cancels the merge, and its later success does not restore it", async () => {
  const session = await proposed();
  await session.check("pending");
  await session.say("/svc:ship");
  await session.check("failure");
  const needsYou = async () => {
    const { data } = (await owner.get(`/api/chat-sessions?search=Ship&needsYou=true&pageSize=100`)).body;
    return data.find(({ id }: { id: string }) => id === session.id)?.needsYouReason;
  };
  await until("the failure to be known", async () => (await needsYou()) === "checks_failed");
  await session.check("success");
  await until("the success to be known", async () => (await needsYou()) === undefined);
  expect(await session.status()).toBe("under-review");
  expect(await session.atBase()).toBe("old");
});

/** Ships a session Under Review whose pull request cannot be merged. */
async function expectDraftAgain(session: Awaited<ReturnType<typeof proposed>>, told: string): Promise<void> {
  const atCodeHost = async () => (await cleo.call("GET", `/pulls/${session.number}`)).draft;
  expect(await atCodeHost()).toBe(false);
  expect(await session.say("/svc:ship")).toMatchObject({ status: "completed", told: expect.stringContaining(told) });
  expect(await atCodeHost()).toBe(true);
  await until("the draft to be known", async () => (await session.record()).prState === "draft");
  expect(await session.status()).toBe("active");
}

test("failed checks are named and nothing is merged, and a session Under Review becomes Active with a draft", async () => {
  const session = await proposed({ draft: true });
  await session.check("failure");
  const told = "these checks have failed: tests";
  expect(await session.say("/svc:ship")).toMatchObject({ status: "completed", told: expect.stringContaining(told) });
  await owner.put(session.path, { status: "under-review" });
  await expectDraftAgain(session, told);
  expect(await session.atBase()).toBe("old");
});

test("a ship of a session Under Review with a conflict makes it Active, with a draft", async () => {
  const session = await proposed({ draft: true });
  await owner.put(session.path, { status: "under-review" });
  await cleo.commit(session.base, { "notes.txt": "theirs\n" });
  await expectDraftAgain(session, "run the skill svc:sync-branch, then ship again");
});

test("a message during checks cancels the merge, because the pull request becomes a draft", async () => {
  const session = await proposed();
  await session.check("pending");
  await session.say("/svc:ship");
  await session.say(script({ say: "Wait." }));
  expect(await session.record()).toMatchObject({ status: "active", prState: "draft" });
  await session.check("success");
  const needed = await owner.put(session.path, { status: "under-review" });
  expect(needed.status).toBe(200);
  expect(await session.record()).toMatchObject({ status: "under-review", prState: "open" });
  expect(await session.atBase()).toBe("old");
});

test("without a pull request the message says how to open one", async () => {
  const session = await proposed({ pullRequest: false });
  expect((await session.say("/svc:ship")).told).toContain("Open one with the skill svc:open-pr");
});

test("a conflicting branch has to be synced first, and needs a person for it once its merge is refused", async () => {
  const session = await proposed();
  await cleo.commit(session.base, { "notes.txt": "theirs\n" });
  await until("the session to be behind", async () => (await session.record()).isBehind);
  const needsYou = async () => {
    const { data } = (await owner.get(`/api/chat-sessions?search=Ship&pageSize=100`)).body;
    return data.find(({ id }: { id: string }) => id === session.id)?.needsYouReason;
  };
  await until("the list to tell of it", async () => (await needsYou()) === "behind");
  expect((await session.say("/svc:ship")).told).toContain("run the skill svc:sync-branch, then ship again");
  await until("the list to tell of it after the refusal", async () => (await needsYou()) === "behind");

  expect(await session.say("/svc:sync-branch")).toMatchObject({ status: "awaiting_response" });
  await session.say("Keep this branch's version");
  await session.say("/svc:ship");
  await until("the session to be completed", async () => (await session.status()) === "completed");
  expect(await session.atBase()).toBe("mine");
});

test("queued messages are not sent after the pull request of their session is merged", async () => {
  const session = await proposed();
  const gate = await closedGate();
  const sent = await owner.send(
    session.path,
    `/svc:ship\n${script({ bash: gate.command }, { tool: { name: "ship", input: {} } }, { say: "Shipped." })}`,
  );
  await owner.send(session.path, script({ say: "Too late." }));
  gate.open();
  expect((await owner.jobUntil(session.path, sent.body.data.chatJobId)).status).toBe("completed");
  await until("the session to be completed", async () => (await session.status()) === "completed");
  expect((await session.record()).latestChatJob.id).toBe(sent.body.data.chatJobId);
});
