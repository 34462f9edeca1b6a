// A turn that fails: it has a message and a code, the queue pauses, and the session continues with
// the next message.
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { closedGate } from "../support/gate.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const cleo = createCollaborator(world);
let session: string;
beforeAll(async () => {
  const created = await owner.createSession({ title: "Failures", content: script({ say: "Ready." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
});

const record = async () => (await owner.get(session)).body.data.session;

describe.each(["anthropic:opus__high", "openai:gpt__high"])("on %s", (model) => {
  test.each([
    ["context_window_exceeded", "context_window_exceeded", /context window/],
    ["overloaded", "provider_overloaded", /overloaded/],
    ["rate_limited", "provider_rate_limited", /limit/],
    ["unauthorized", "provider_unauthorized", /login|key/],
  ])("%s fails the turn and pauses Up next", async (failure, errorCode, reason) => {
    const gate = await closedGate();
    const sent = await owner.send(session, script({ bash: gate.command }, { fail: failure }), { model });
    await owner.send(session, script({ say: "I waited." }));
    gate.open();
    const job = await owner.jobUntil(session, sent.body.data.chatJobId);
    expect(job).toEqual(expect.objectContaining({ status: "failed", errorCode, error: expect.stringMatching(reason) }));
    expect(job.error).not.toMatch(/sk-practice-|Bearer|at .*\.[jt]s:\d/);
    const { queue, needsYouReason, latestChatJob } = await record();
    expect(queue).toEqual({ count: 1, paused: { reason: "failed", pausedAt: expect.any(String) } });
    expect([needsYouReason, latestChatJob.status]).toEqual(["job_failed", "failed"]);

    await owner.post(`${session}/queue/resume`);
    await until("Up next to have gone on", async () => {
      const after = await record();
      return after.latestChatJob.jobNumber === job.jobNumber + 1 && after.latestChatJob.status === "completed";
    });
    expect((await record()).needsYouReason).toBe(null);
  });
});

test("the agent's work before the failure is saved", async () => {
  const job = await owner.run(session, { write: { path: "half.txt", content: "half" } }, { fail: "unauthorized" });
  expect(job.status).toBe("failed");
  expect((await owner.listBlocks(session, job.id))[0]).toEqual(expect.objectContaining({ name: "write" }));
  const file = await owner.get(`${session}/preview/files/content?path=half.txt`);
  expect(file.body.data.content).toBe("half");
});

test("a turn fails with a message if the Target Branch no longer exists", async () => {
  const targetBranch = `gone-${process.pid}`;
  await cleo.atHost("branch", targetBranch, "main");
  const { path } = await owner.createSession({ status: "backlog", targetBranch, prompt: script({ say: "Hello." }) });
  await cleo.atHost("branch", "-D", targetBranch);
  const job = await owner.jobUntil(path, (await owner.post(`${path}/activate`)).body.data.chatJobId);
  expect(job).toEqual(expect.objectContaining({ status: "failed", error: expect.stringMatching(/branch|check/i) }));
});
