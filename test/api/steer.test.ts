// Steering: a queued message enters the running turn, joins the conversation when the agent takes
// it, and returns if the agent does not.
import { afterEach, beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");

let session: string;
beforeAll(async () => {
  const created = await owner.createSession({ title: "Steering", content: script({ say: "Ready." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
});
afterEach(async () => {
  const { latestChatJob } = (await owner.get(session)).body.data.session;
  if (["pending", "running"].includes(latestChatJob.status)) {
    await owner.post(`${session}/jobs/chat/${latestChatJob.id}/cancel`);
    await owner.jobUntil(session, latestChatJob.id);
  }
  for (const { id } of (await owner.upNext(session)).messages) await owner.delete(`${session}/queue/${id}`);
});

/** Starts a turn and returns its job once its first command runs. */
async function working(...steps: Record<string, unknown>[]): Promise<string> {
  const { chatJobId } = (await owner.send(session, script(...steps))).body.data;
  await until("the first command", async () => (await owner.listBlocks(session, chatJobId)).length > 0);
  return chatJobId;
}
async function queue(content: string, client = owner): Promise<string> {
  return (await client.send(session, content)).body.data.queuedMessageId;
}
const steer = (id: string, client = owner) => client.post(`${session}/queue/${id}/steer`);

test("a steer is in the agent's next request, and is a user message of the same job in the conversation", async () => {
  const gate = await closedGate();
  // The second command gives the steer time to reach the sandbox.
  const jobId = await working({ bash: gate.command }, { bash: "sleep 5" }, { say: "The old plan." });
  const id = await queue(script({ say: "The new plan." }));
  const steered = await steer(id);
  expect(steered).toMatchObject({ status: 200, body: { data: { delivery: "steer", steerId: expect.any(String) } } });
  expect((await owner.upNext(session)).messages).toEqual([]);
  gate.open();
  expect((await owner.jobUntil(session, jobId)).status).toBe("completed");
  const ofJob = (await owner.messages(session)).filter((message: { jobId: string }) => message.jobId === jobId);
  expect(ofJob.map(({ role, delivery }: { role: string; delivery: string }) => [role, delivery])).toEqual([
    ["user", "job"],
    ["assistant", null],
    ["user", "steer"],
    ["assistant", null],
  ]);
  expect(ofJob[2].id).toBe(id);
  expect(ofJob[3].blocks.at(-1).content).toBe("The new plan.");
  const { latestChatJob } = (await owner.get(session)).body.data.session;
  expect(latestChatJob.id).toBe(jobId);
});

test("steers that were not taken when the turn is stopped return to the front of the queue, in their order", async () => {
  const jobId = await working({ bash: "sleep 600" }, { say: "never" });
  const [one, two, three] = [await queue("one"), await queue("two"), await queue("three")];
  await steer(two);
  await steer(three);
  expect((await owner.upNext(session)).messages.map(({ id }) => id)).toEqual([one]);
  await owner.post(`${session}/jobs/chat/${jobId}/cancel`);
  await owner.jobUntil(session, jobId);
  const { messages, paused } = await owner.upNext(session);
  expect(messages.map(({ id }) => id)).toEqual([two, three, one]);
  expect(paused).toMatchObject({ reason: "cancelled" });
});

test("without a running turn: the message stays in the queue", async () => {
  const jobId = await working({ bash: "sleep 600" });
  const id = await queue("stays");
  await owner.post(`${session}/jobs/chat/${jobId}/cancel`);
  await owner.jobUntil(session, jobId);
  const refused = await steer(id);
  expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 409, code: "STEER_UNAVAILABLE" });
  expect((await owner.upNext(session)).messages.map((message) => message.id)).toEqual([id]);
});

test("a turn of another member accepts no steer", async () => {
  await working({ bash: "sleep 600" });
  const id = await queue("mine", member);
  const refused = await steer(id, member);
  expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 403, code: "FORBIDDEN" });
  expect((await owner.upNext(session)).messages.map((message) => message.id)).toEqual([id]);
});

test("a send that asks for it is steered into the running turn, and a repeat gets the same steer", async () => {
  const gate = await closedGate();
  await working({ bash: gate.command }, { bash: "sleep 5" }, { say: "The old plan." });
  const body = { content: script({ say: "The new plan." }), steer: true };
  const headers = { "idempotency-key": "steered send" };
  const sent = await owner.post(`${session}/jobs/chat`, body, headers);
  expect(sent).toMatchObject({ status: 201, body: { data: { delivery: "steer", steerId: expect.any(String) } } });
  expect((await owner.post(`${session}/jobs/chat`, body, headers)).body).toEqual(sent.body);
  expect((await owner.upNext(session)).messages).toEqual([]);
  gate.open();
});

test("a send that asks for it waits Up next if the turn is another member's, and starts a turn if none runs", async () => {
  const gate = await closedGate();
  const jobId = await working({ bash: gate.command }, { say: "Done." });
  const sent = await member.send(session, "Faster, please.", { steer: true });
  expect(sent.body.data).toMatchObject({ delivery: "queued", queuedMessageId: expect.any(String) });
  await member.delete(`${session}/queue/${sent.body.data.queuedMessageId}`);
  gate.open();
  await owner.jobUntil(session, jobId);
  const next = await owner.send(session, script({ say: "Hello." }), { steer: true });
  expect(next.body.data).toMatchObject({ delivery: "job" });
  await owner.jobUntil(session, next.body.data.chatJobId);
});
