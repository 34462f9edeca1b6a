// Stopping a turn: it ends immediately, no process of it is left, and the session continues.
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { listProcesses, readCommand } from "../support/process-tree.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
let session: string;
let sandbox: string;
beforeAll(async () => {
  const created = await owner.createSession({ title: "Stop", content: script({ say: "Ready." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
  const { body } = await owner.get(`/api/projects/${world.projectId}/preview?sessionId=${created.id}`);
  sandbox = `${world.stateDir}/sandboxes/${body.data.sandboxKey}`;
});

const cancel = (jobId: string | undefined, person = owner) => person.post(`${session}/jobs/chat/${jobId}/cancel`);
const sleepers = () =>
  listProcesses(sandbox)
    .map(readCommand)
    .filter((command) => command.startsWith("sleep"));

describe("a stopped turn ends as cancelled and leaves no process", () => {
  const turns: Record<string, Record<string, unknown>[]> = {
    "while the model thinks": [{ sleep: 20_000 }, { say: "never" }],
    "in a shell command": [{ bash: "sleep 60" }, { say: "never" }],
    "in a command that ignores signals": [{ bash: "trap '' TERM INT HUP; sleep 60; sleep 61" }, { say: "never" }],
    "with a child in a session of its own": [{ bash: "setsid sleep 62 & sleep 63" }, { say: "never" }],
    "after a command left one behind": [{ bash: "nohup sleep 64 >/dev/null 2>&1 &" }, { sleep: 20_000 }, { say: "no" }],
  };
  test.each(Object.entries(turns))("%s", async (_, steps) => {
    const { chatJobId } = (await owner.send(session, script(...steps))).body.data;
    await owner.jobUntil(session, chatJobId, ["running"]);
    if (steps.some((step) => "bash" in step)) await until("the command to run", () => sleepers().length > 0);
    const stopped = await cancel(chatJobId);
    expect([stopped.status, stopped.body]).toEqual([
      200,
      { data: { cancelled: 1, message: expect.stringMatching(/\S/) } },
    ]);
    const job = await owner.jobUntil(session, chatJobId);
    expect(job).toEqual(expect.objectContaining({ status: "cancelled", error: null, errorCode: null }));
    expect(job.completedAt).toEqual(expect.any(String));
    expect(sleepers()).toEqual([]);
    for (const block of await owner.listBlocks(session, chatJobId)) expect(block.status).not.toBe("running");
  });
});

test("a turn that is stopped before its sandbox runs ends as cancelled and does nothing", async () => {
  const { path, jobId } = await owner.createSession({ content: script({ write: { path: "no.txt", content: "no" } }) });
  const stopped = await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
  expect([stopped.status, stopped.body.data.cancelled]).toEqual([200, 1]);
  expect((await owner.jobUntil(path, jobId)).status).toBe("cancelled");
  const next = await owner.run(path, { bash: "ls no.txt" }, { say: "Looked." });
  expect(next).toEqual(expect.objectContaining({ status: "completed", jobNumber: 2 }));
  expect((await owner.listBlocks(path, next.id))[0]?.status).toBe("failed");
  expect(await owner.listBlocks(path, jobId)).toEqual([]);
});

test("the work of a stopped turn is saved: its file and its text", async () => {
  const steps = [{ write: { path: "kept.txt", content: "kept" } }, { say: "Wait." }, { bash: "sleep 60" }];
  const { chatJobId } = (await owner.send(session, script(...steps))).body.data;
  await until("the command to run", () => sleepers().length > 0);
  await cancel(chatJobId);
  await owner.jobUntil(session, chatJobId);
  const blocks = await owner.listBlocks(session, chatJobId);
  expect(blocks.map(({ type, status }) => [type, status])).toEqual([
    ["tool", "completed"],
    ["text", undefined],
    ["tool", "cancelled"],
  ]);
  const file = await owner.get(`${session}/preview/files/content?path=kept.txt`);
  expect(file.body.data.content).toBe("kept");
});

test("any member can stop a turn, and a later send runs", async () => {
  const { chatJobId } = (await owner.send(session, script({ sleep: 20_000 }, { say: "never" }))).body.data;
  expect((await cancel(chatJobId, createClient(world, "member"))).status).toBe(200);
  await owner.jobUntil(session, chatJobId);
  expect((await owner.run(session, { say: "On we go." })).status).toBe("completed");
});

test("a turn can be stopped once: ten concurrent stops end it, and each later one returns 400", async () => {
  const { chatJobId } = (await owner.send(session, script({ sleep: 20_000 }, { say: "never" }))).body.data;
  await owner.jobUntil(session, chatJobId, ["running"]);
  const stops = await Promise.all(Array.from({ length: 10 }, () => cancel(chatJobId)));
  expect(stops.some(({ status }) => status === 200)).toBe(true);
  for (const { status, body } of stops.filter((stop) => stop.status !== 200)) {
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
  }
  await owner.jobUntil(session, chatJobId);
  const late = await cancel(chatJobId);
  expect([late.status, late.body.code]).toEqual([400, "BAD_REQUEST"]);
});

describe("a job that has ended cannot be stopped", () => {
  const ask = {
    questions: [
      {
        topic: "Colour",
        question: "Which?",
        options: ["red", "blue"].map((title) => ({ title, description: title, isRecommended: title === "red" })),
      },
    ],
  };
  const ends: [string, Record<string, unknown>][] = [
    ["completed", { say: "Done." }],
    ["failed", { fail: "unauthorized" }],
    ["awaiting_response", { ask }],
  ];
  test.each(ends)("%s returns 400", async (status, step) => {
    const job = await owner.run(session, step);
    expect(job.status).toBe(status);
    const stopped = await cancel(job.id);
    expect([stopped.status, stopped.body.code]).toEqual([400, "BAD_REQUEST"]);
    expect((await owner.jobUntil(session, job.id)).status).toBe(status);
  });
});

describe("a send with the id of the job that its sender saw running", () => {
  test("returns 409 JOB_STOPPED if the job was stopped by a person, and is not stored", async () => {
    const { chatJobId } = (await owner.send(session, script({ sleep: 20_000 }, { say: "never" }))).body.data;
    await cancel(chatJobId);
    for (const runningJobId of [chatJobId, chatJobId.toUpperCase()]) {
      const sent = await owner.send(session, "Also do this.", { runningJobId });
      expect([sent.status, sent.body.code]).toEqual([409, "JOB_STOPPED"]);
    }
    const contents = (await owner.messages(session)).map(({ content }: { content: string }) => content);
    expect(contents).not.toContain("Also do this.");
    expect((await owner.upNext(session)).messages).toEqual([]);
  });

  test("is delivered if the job ended by itself or does not belong to the session", async () => {
    const job = await owner.run(session, { say: "Done." });
    for (const runningJobId of [job.id, crypto.randomUUID()]) {
      const sent = await owner.send(session, script({ say: "Delivered." }), { runningJobId });
      expect(sent.body.data.delivery).toBe("job");
      await owner.jobUntil(session, sent.body.data.chatJobId);
    }
  });

  test("is queued while the job still runs", async () => {
    const gate = await closedGate();
    const { chatJobId } = (await owner.send(session, script({ bash: gate.command }, { say: "Slow." }))).body.data;
    const sent = await owner.send(session, script({ say: "Next." }), { runningJobId: chatJobId });
    expect(sent.body.data.delivery).toBe("queued");
    gate.open();
    await owner.jobUntil(session, chatJobId);
  });
});
