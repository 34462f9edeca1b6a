// Runtime commands: `/clear` makes the agent forget, `/compact` makes it summarize; in a message
// they are ordinary text.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agentRecord } from "../support/agent-record.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const run = (command: string, more: object = {}, path = session) =>
  owner.post(`${path}/runtime-commands`, { command, ...more });
const record = async () => (await owner.get(session)).body.data.session;

let session: string;
/** The number of the turn in which the agent received the word, and the messages until then. */
let writtenIn: number;
let earlierMessages: unknown[];
beforeAll(async () => {
  session = (await owner.createSession({ title: "Commands" })).path;
});
beforeEach(async () => {
  writtenIn = (await owner.run(session, { say: "The word is swordfish." })).jobNumber;
  earlierMessages = await owner.messages(session);
});
afterAll(() => owner.delete(session));

/** Everything that the agent of the next turn knows. */
async function known(): Promise<string> {
  await owner.run(session, { say: "Seen." });
  return await agentRecord(world, owner, session);
}
/** Waits until the running command is done, so that another can run. */
const done = (path: string) =>
  until("the command to be done", async () => (await run("/clear", {}, path)).body?.code !== "COMMAND_IN_FLIGHT");

test("without a command the agent has the conversation", async () => {
  expect(await known()).toContain("swordfish");
});

describe("/clear", () => {
  test("starts a new conversation of the agent, and the messages stay in the session's conversation", async () => {
    const cleared = await run("/clear");
    expect([cleared.status, cleared.body]).toEqual([202, { data: { command: "/clear", status: "running" } }]);
    expect(await known()).not.toContain("swordfish");
    const after = await owner.messages(session);
    expect(after.slice(0, earlierMessages.length)).toEqual(earlierMessages);
    expect(after).toHaveLength(earlierMessages.length + 2);
  });

  test("does not change files, branch, model and job numbers", async () => {
    await owner.run(session, { write: { path: "kept.txt", content: "kept" } }, { say: "Written." });
    const { branch, model } = await record();
    await run("/clear");
    const job = await owner.run(session, { bash: "cat kept.txt" }, { say: "Read." });
    expect((await owner.listBlocks(session, job.id))[0]).toMatchObject({ status: "completed", output: "kept" });
    expect(job.jobNumber).toBe(writtenIn + 2);
    expect(await record()).toMatchObject({ branch, model });
  });

  test("still applies after a switch to another provider and a retry with a new agent", async () => {
    await run("/clear");
    await owner.send(session, script({ fail: "context_window_exceeded" }), { model: "openai:gpt__low" });
    const failed = await owner.jobUntil(session, (await record()).latestChatJob.id);
    expect(failed.errorCode).toBe("context_window_exceeded");
    const content = script({ say: "Seen." });
    for (const more of [{ retryFailedJobId: failed.id }, { model: "anthropic:opus__high" }]) {
      const sent = await owner.send(session, content, more);
      const job = await owner.jobUntil(session, sent.body.data.chatJobId);
      expect(job.status).toBe("completed");
      expect(await agentRecord(world, owner, session)).not.toContain("swordfish");
    }
  });

  test("does not end a pause, and queued messages go to the new conversation", async () => {
    const running = await owner.send(session, script({ sleep: 600_000 }));
    await owner.send(session, script({ say: "Waited." }));
    await owner.post(`${session}/jobs/chat/${running.body.data.chatJobId}/cancel`);
    await owner.jobUntil(session, running.body.data.chatJobId);
    await run("/clear");
    expect((await record()).queue).toMatchObject({ count: 1, paused: { reason: "cancelled" } });
    await owner.post(`${session}/queue/resume`);
    const { id } = (await record()).latestChatJob;
    await owner.jobUntil(session, id);
    expect(await agentRecord(world, owner, session)).not.toContain("swordfish");
  });
});

describe("/compact", () => {
  test.each([{}, { instructions: null }, { instructions: "Keep the word." }])("with %j summarizes", async (more) => {
    const compacted = await run("/compact", more);
    expect([compacted.status, compacted.body]).toEqual([202, { data: { command: "/compact", status: "running" } }]);
    const sent = await until("the command to be done", async () => {
      const reply = await owner.send(session, script({ say: "On we go." }));
      return reply.status === 201 && reply;
    });
    const job = await owner.jobUntil(session, sent.body.data.chatJobId);
    expect(job).toMatchObject({ status: "completed", jobNumber: writtenIn + 1 });
    expect(await agentRecord(world, owner, session)).toMatch(/compact|summary/i);
    expect(await owner.messages(session)).toHaveLength(earlierMessages.length + 2);
  });

  test("without a turn or a sandbox completes", async () => {
    const { id, path } = await owner.createSession({ title: "Silent" });
    expect((await run("/compact", {}, path)).status).toBe(202);
    await done(path);
    await owner.run(path, { say: "Hello." });
    const key = await owner.getSandboxKey(id);
    await fetch(`${world.sandboxHostUrl}/sandboxes/${key}`, { method: "DELETE" });
    expect((await run("/compact", {}, path)).status).toBe(202);
    await done(path);
    expect((await owner.run(path, { say: "Still here." })).status).toBe("completed");
  });
});

describe("a command is refused", () => {
  test("as VALIDATION_ERROR if the command or its instructions are invalid", async () => {
    for (const body of [
      { command: "/help" },
      { command: "clear" },
      { command: "/clear " },
      {},
      { command: "/compact", instructions: 5 },
      { command: "/compact", instructions: "a".repeat(200_001) },
      '"/clear"',
    ]) {
      const refused = await owner.post(`${session}/runtime-commands`, body);
      expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_ERROR"]);
    }
  });

  test("while a turn runs: 409 JOB_ACTIVE", async () => {
    const { chatJobId } = (await owner.send(session, script({ sleep: 600_000 }))).body.data;
    for (const command of ["/clear", "/compact"]) {
      const refused = await run(command);
      expect([refused.status, refused.body.code]).toEqual([409, "JOB_ACTIVE"]);
    }
    await owner.post(`${session}/jobs/chat/${chatJobId}/cancel`);
    await owner.jobUntil(session, chatJobId);
  });

  test("in a session that is under review or completed: 400 BAD_REQUEST", async () => {
    const { path } = await owner.createSession({ title: "Over" });
    for (const status of ["under-review", "completed"]) {
      expect((await owner.put(path, { status })).status).toBe(200);
      const refused = await run("/clear", {}, path);
      expect([refused.status, refused.body.code]).toEqual([400, "BAD_REQUEST"]);
    }
  });
});

test("a command in a message is ordinary text", async () => {
  for (const [place, content] of ["/clear", "/compact", "$clear", "  /clear"].entries()) {
    const sent = await owner.send(session, content);
    expect(sent.body.data).toMatchObject({ delivery: "job", jobNumber: writtenIn + 1 + 2 * place });
    const job = await owner.jobUntil(session, sent.body.data.chatJobId);
    expect(job.status).toBe("completed");
    expect((await owner.messages(session)).at(-2).content).toBe(content);
    const after = await known();
    expect(after).toContain("swordfish");
    expect(after).toContain(content.trim());
  }
});
