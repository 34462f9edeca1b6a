// `kill -9` of everything at the moments that matter to a client that waits: a question, a request
// whose response was lost, a turn that is followed or not. The next world knows everything that the
// last one promised.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, createClient, script } from "../support/client.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { until } from "../support/until.ts";

let world: RunningWorld;
let owner: Client;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
  owner = createClient(world.address());
});
afterAll(async () => world?.remove());

async function restart(): Promise<void> {
  await world.killAll();
  await world.start();
  owner = createClient(world.address());
}

const option = (title: string) => ({ title, description: `It is ${title}.`, isRecommended: title === "Red" });
const questions = [{ topic: "Colour", question: "Which colour?", options: [option("Red"), option("Blue")] }];

test("a question survives a restart, a plain message answers it, and Up next continues afterwards", async () => {
  const content = script({ bash: "sleep 1" }, { ask: { questions } });
  const { path, jobId } = await owner.createSession({ content });
  const waits = await owner.send(path, script({ say: "This waited." }));
  expect(waits.body.data.delivery).toBe("queued");
  expect((await owner.jobUntil(path, jobId)).status).toBe("awaiting_response");
  const asked = await owner.messages(path);
  await restart();
  expect((await owner.jobUntil(path, jobId)).status).toBe("awaiting_response");
  expect(await owner.messages(path)).toEqual(asked);
  expect(asked.at(-1).blocks.at(-1)).toEqual({ type: "clarification", clarificationData: { questions } });
  expect(await owner.upNext(path)).toMatchObject({
    messages: [{ id: waits.body.data.queuedMessageId }],
    paused: { reason: "awaiting_response" },
  });

  const answered = await owner.run(path, { say: "Red it is." });
  expect(answered).toMatchObject({ status: "completed", jobNumber: 2 });
  await until("Up next to be empty", async () => (await owner.upNext(path)).messages.length === 0);
  const last = await until("the last turn", async () => {
    const [newest] = (await owner.get(`${path}/jobs/chat`)).body.data;
    return newest.jobNumber === 3 && newest.status === "completed" && newest;
  });
  expect(await owner.listBlocks(path, last.id)).toEqual([{ type: "text", content: "This waited." }]);
});

test("a send whose response was lost with the world returns the same job in the next one, and a changed one is refused", async () => {
  const { path } = await owner.createSession({ title: "Again" });
  const key = { "Idempotency-Key": randomUUID() };
  const send = (content: string) => owner.post(`${path}/jobs/chat`, { content }, key);
  // The sandbox of a new session has to be made first, so this comes back in the middle of a wake.
  const first = await send(script({ say: "Once." }));
  expect([first.status, first.body.data.delivery]).toEqual([201, "job"]);
  expect((await send(script({ say: "Once." }))).body).toEqual(first.body);
  await restart();
  expect((await send(script({ say: "Once." }))).body).toEqual(first.body);
  expect(await send(script({ say: "Twice." }))).toMatchObject({
    status: 409,
    body: { code: "IDEMPOTENCY_KEY_REUSED" },
  });
  const job = await owner.jobUntil(path, first.body.data.chatJobId);
  expect(["completed", "failed"]).toContain(job.status);
  expect((await owner.get(`${path}/jobs/chat`)).body.data).toHaveLength(1);
});

test("a turn that is killed twice ends with a reason, keeps its text, and the next answer is separate", async () => {
  const content = script({ say: "The first words." }, { bash: "sleep 600" }, { say: "never said" });
  const { path, jobId } = await owner.createSession({ content });
  await until("the first words", async () => (await owner.listBlocks(path, jobId)).length > 1);
  for (let kill = 1; kill <= 2; kill++) {
    await restart();
    expect((await owner.get(`${path}/jobs/chat/${jobId}`)).body.data.job.id).toBe(jobId);
  }
  const job = await owner.jobUntil(path, jobId);
  expect(job).toMatchObject({ status: "failed", error: expect.stringMatching(/^[A-Z].* .*\.$/) });
  expect((await owner.upNext(path)).paused).toMatchObject({ reason: "failed" });
  const next = await owner.run(path, { say: "The second words." });
  expect(next).toMatchObject({ status: "completed", jobNumber: 2 });
  const answers = (await owner.messages(path)).filter(({ role }: { role: string }) => role === "assistant");
  const told = answers.map((message: { jobId: string; blocks: { type: string; content?: string }[] }) => [
    message.jobId,
    message.blocks.flatMap(({ type, content: text }) => (type === "text" ? [text] : [])),
  ]);
  expect(told).toEqual([
    [jobId, ["The first words."]],
    [next.id, ["The second words."]],
  ]);
});

test("after all processes were killed, the work of an ended and of a running turn is there, and so is its repository at the code host", async () => {
  const sessions = await Promise.all(
    ["one", "two"].map((title) => owner.createSession({ title, content: script({ say: "Here." }) })),
  );
  await Promise.all(sessions.map(({ path, jobId }) => owner.jobUntil(path, jobId)));
  const [ended = "", ran = ""] = sessions.map(({ path }) => path);
  const commit = "echo kept > kept.txt; git add -A; git -c user.name=A -c user.email=a@example.com commit -qm kept";
  const running: string = (await owner.send(ran, script({ bash: commit }, { bash: "sleep 600" }))).body.data.chatJobId;
  await until("the command behind the commit", async () => (await owner.listBlocks(ran, running)).length > 1);
  // Killed immediately: no save can have followed it.
  await owner.run(ended, { bash: "echo kept > kept.txt" }, { say: "Done." });
  const { forgeUrl, providerUrl } = world.address();
  await restart();
  expect(world.address()).toMatchObject({ forgeUrl, providerUrl });

  const cut = await owner.jobUntil(ran, running);
  expect(cut).toMatchObject({ status: "failed", error: expect.stringMatching(/^[A-Z].* .*\.$/) });
  const outputs = await Promise.all(
    [ended, ran].map(async (path) => {
      const { id } = await owner.run(path, { bash: "cat kept.txt; git log -1 --format=%s" }, { say: "Read." });
      return (await owner.listBlocks(path, id))[0]?.output;
    }),
  );
  expect(outputs).toEqual([expect.stringMatching(/^kept\nInitial commit/), "kept\nkept\n"]);
});

test("five megabytes of output are stored completely, shown in part, and do not slow down other reads", async () => {
  const bytes = 5_000_000;
  const content = script({ bash: `head -c ${bytes} /dev/zero | tr '\\0' 'x'` }, { say: "Printed." });
  const { path, jobId } = await owner.createSession({ content });
  expect(await owner.jobUntil(path, jobId)).toMatchObject({ status: "completed", error: null });
  const [tool] = await owner.listBlocks(path, jobId);
  expect(tool).toMatchObject({ type: "tool", status: "completed", fullOutputBytes: bytes });
  expect(Buffer.byteLength(String(tool?.output))).toBeLessThanOrEqual(32 * 1_024);
  expect(JSON.stringify(await owner.messages(path)).length).toBeLessThan(64 * 1_024);
  const { baseUrl, users } = world.address();
  const headers = { authorization: `Bearer ${users.owner.apiKey}` };
  const output = await fetch(`${baseUrl}${path}/jobs/chat/${jobId}/outputs/0`, { headers });
  expect((await output.text()) === "x".repeat(bytes)).toBe(true);
});
