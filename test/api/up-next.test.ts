// The queue (Up next): messages sent while a turn runs wait, and each starts a turn of its own in
// its order.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { closedGate, type Gate } from "../support/gate.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let session: string;
beforeAll(async () => {
  const created = await owner.createSession({ title: "Up next", content: script({ say: "Ready." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
});
beforeEach(idle);

const slow = (text: string) => script({ sleep: 400 }, { say: text });
const held = ({ command }: Gate, text: string) => script({ bash: command }, { say: text });
const quick = (text: string) => script({ say: text });

/** Waits until the session has no more work. */
async function idle() {
  await until("the session to be idle", async () => {
    const { latestChatJob, queue } = (await owner.get(session)).body.data.session;
    return !["pending", "running"].includes(latestChatJob.status) && (queue.count === 0 || queue.paused !== null);
  });
}

/** The agent's last texts, among this many of its newest messages. */
async function said(count: number): Promise<string[]> {
  const messages = await owner.messages(session);
  return messages
    .filter(({ role }: { role: string }) => role === "assistant")
    .slice(-count)
    .map(({ blocks }: { blocks: { content: string }[] }) => blocks.at(-1)?.content);
}

test("a message that is sent during a turn is queued: it has an id and no job", async () => {
  const gate = await closedGate();
  const running = await owner.send(session, held(gate, "one"));
  const waiting = await member.send(session, quick("two"));
  expect({ status: waiting.status, body: waiting.body }).toEqual({
    status: 201,
    body: { data: { delivery: "queued", queuedMessageId: uuid } },
  });
  expect((await owner.get(`${session}/queue`)).body).toEqual({
    data: {
      messages: [
        {
          id: waiting.body.data.queuedMessageId,
          content: quick("two"),
          position: 0,
          author: { userId: world.users.member.id, name: "Mia Member", email: "member@example.com", imageUrl: null },
          attachments: [],
          context: {},
          version: 1,
          editingBy: null,
          can: { edit: false, move: false, steer: false, delete: true },
          createdAt: timestamp,
        },
      ],
      paused: null,
    },
  });
  const record = (await owner.get(session)).body.data.session;
  expect(record.queue).toEqual({ count: 1, paused: null });
  expect(record.latestChatJob.id).toBe(running.body.data.chatJobId);
  const contents = (await owner.messages(session)).map(({ content }: { content: string }) => content);
  expect(contents).not.toContain(quick("two"));
  gate.open();
});

test("queued messages run in the order of their sends, each as a separate turn", async () => {
  const gate = await closedGate();
  const first = await owner.send(session, held(gate, "first"));
  const people = [member, owner, member, owner];
  const ids: string[] = [];
  for (const [place, person] of people.entries()) {
    ids.push((await person.send(session, quick(`then ${place}`))).body.data.queuedMessageId);
  }
  expect((await owner.upNext(session)).messages.map(({ id }) => id)).toEqual(ids);
  gate.open();
  await idle();
  expect(await said(5)).toEqual(["first", "then 0", "then 1", "then 2", "then 3"]);
  const jobs = (await owner.get(`${session}/jobs/chat?pageSize=5`)).body.data;
  const { jobNumber } = first.body.data;
  expect(jobs.map((job: { jobNumber: number }) => job.jobNumber)).toEqual([4, 3, 2, 1, 0].map((n) => n + jobNumber));
  expect(new Set(jobs.map((job: { status: string }) => job.status))).toEqual(new Set(["completed"]));
  // A turn starts when the previous one has ended, not sooner.
  for (const [place, job] of jobs.slice(0, -1).entries()) {
    expect(job.startedAt >= jobs[place + 1].completedAt).toBe(true);
  }
  // A queued message keeps its id when its turn starts.
  const messageIds = (await owner.messages(session)).map(({ id }: { id: string }) => id);
  expect(messageIds).toEqual(expect.arrayContaining(ids));
});

test("a stop pauses the queue until it is resumed", async () => {
  const running = await owner.send(session, script({ sleep: 20_000 }, { say: "never" }));
  await owner.send(session, quick("after the stop"));
  const { chatJobId, jobNumber } = running.body.data;
  await owner.post(`${session}/jobs/chat/${chatJobId}/cancel`);
  expect(await owner.upNext(session)).toEqual({
    messages: [expect.objectContaining({ content: quick("after the stop") })],
    paused: { reason: "cancelled", pausedAt: timestamp },
  });
  const record = (await owner.get(session)).body.data.session;
  expect(record.latestChatJob).toEqual({ id: chatJobId, status: "cancelled", jobNumber });
  expect(record.queue).toEqual({ count: 1, paused: { reason: "cancelled", pausedAt: timestamp } });
  expect(record.needsYouReason).toBe("queue_paused");

  const resumed = await member.post(`${session}/queue/resume`);
  expect([resumed.status, resumed.body]).toEqual([204, null]);
  expect(await owner.upNext(session)).toEqual({ messages: [], paused: null });
  await idle();
  expect(await said(1)).toEqual(["after the stop"]);
});

test("a message that starts a turn resumes a paused queue, and runs before the queued ones", async () => {
  const running = await owner.send(session, script({ sleep: 20_000 }, { say: "never" }));
  await owner.send(session, quick("waited"));
  await owner.post(`${session}/jobs/chat/${running.body.data.chatJobId}/cancel`);
  const sent = await owner.send(session, quick("sent afterwards"));
  expect(sent.body.data.delivery).toBe("job");
  await idle();
  expect(await said(2)).toEqual(["sent afterwards", "waited"]);
});

test("a resume of an empty or running queue changes nothing", async () => {
  const before = (await owner.get(`${session}/jobs/chat`)).body.meta.pagination.total;
  expect((await owner.post(`${session}/queue/resume`)).status).toBe(204);
  expect((await owner.get(`${session}/jobs/chat`)).body.meta.pagination.total).toBe(before);

  const gate = await closedGate();
  await owner.send(session, held(gate, "runs"));
  await owner.send(session, quick("waits"));
  expect((await owner.post(`${session}/queue/resume`)).status).toBe(204);
  expect((await owner.upNext(session)).messages).toHaveLength(1);
  gate.open();
  await idle();
  expect(await said(2)).toEqual(["runs", "waits"]);
});

test("ten concurrent resumes send the top message once", async () => {
  const running = await owner.send(session, script({ sleep: 20_000 }, { say: "never" }));
  await owner.send(session, slow("once"));
  await owner.send(session, quick("then this"));
  await owner.post(`${session}/jobs/chat/${running.body.data.chatJobId}/cancel`);
  const resumes = await Promise.all(Array.from({ length: 10 }, () => owner.post(`${session}/queue/resume`)));
  expect(new Set(resumes.map(({ status }) => status))).toEqual(new Set([204]));
  await idle();
  const { jobNumber } = running.body.data;
  const jobs = (await owner.get(`${session}/jobs/chat?pageSize=3`)).body.data;
  expect(jobs).toMatchObject([
    { jobNumber: jobNumber + 2, status: "completed" },
    { jobNumber: jobNumber + 1, status: "completed" },
    { jobNumber, status: "cancelled" },
  ]);
  expect(await said(2)).toEqual(["once", "then this"]);
});
