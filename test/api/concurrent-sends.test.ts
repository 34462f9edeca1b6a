// A hundred concurrent messages to one idle session: one starts a turn, the queue fills up, the
// rest is refused, and no accepted message is lost.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, type Job, script } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const people = (["owner", "admin", "member"] as const).map((person) => createClient(world, person));
const owner = createClient(world);
const queueSize = 20;
const refusals = ["QUEUE_FULL", "JOB_IN_PROGRESS", "SESSION_UPDATING", "SESSION_CHANGED", "SANDBOX_STARTING"];

test("of 100 concurrent sends one starts a job, at most 20 are queued, and every accepted one runs once", async () => {
  const { path } = await owner.createSession({ title: "Rush" });
  const contents = Array.from({ length: 100 }, (_, place) => script({ say: `This is number ${place}.` }));
  const answers = await Promise.all(
    contents.map(async (content, place) => ({
      content,
      reply: await (people[place % people.length] ?? owner).send(path, content),
    })),
  );

  const accepted = answers.filter(({ reply }) => reply.status === 201);
  const deliveries = accepted.map(({ reply }) => reply.body.data.delivery);
  expect(deliveries.filter((delivery) => delivery === "job")).toHaveLength(1);
  expect(deliveries.filter((delivery) => delivery === "queued")).toHaveLength(queueSize);
  for (const { reply } of answers.filter(({ reply }) => reply.status !== 201)) {
    expect([reply.status, refusals]).toEqual([409, expect.arrayContaining([reply.body.code])]);
  }

  // The turns are watched while they run: at no time are two of them unfinished.
  const jobs = await until("every accepted message to have run", async () => {
    const seen: Job[] = (await owner.get(`${path}/jobs/chat?pageSize=100`)).body.data;
    expect(seen.filter(({ status }) => status === "pending" || status === "running").length).toBeLessThanOrEqual(1);
    return seen.length === accepted.length && seen.every(({ status }) => status === "completed") && seen;
  });
  expect(jobs.map(({ jobNumber }) => jobNumber).reverse()).toEqual(accepted.map((_, place) => place + 1));

  const messages: { role: string; content: string; jobId: string }[] = await owner.messages(path);
  const userMessages = messages.filter(({ role }) => role === "user");
  expect(userMessages.map(({ content }) => content).sort()).toEqual(accepted.map(({ content }) => content).sort());
  expect(new Set(userMessages.map(({ jobId }) => jobId)).size).toBe(accepted.length);
  expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(accepted.length);
  expect(await owner.upNext(path)).toEqual({ messages: [], paused: null });
});
