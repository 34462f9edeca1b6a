// A clarification: the agent asks, the turn ends on the question, and an ordinary message answers it.
import { beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { clientOf, script } from "../support/client.ts";
import { until } from "../support/until.ts";

const owner = clientOf(apiWorld());
let session: string;
beforeAll(async () => {
  const created = await owner.createSession({ title: "Questions", content: script({ say: "Ready." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
});

const option = (title: string, isRecommended = false) => ({ title, description: `About ${title}`, isRecommended });
const question = (...options: object[]) => ({ topic: "Colour", question: "Which colour?", options });
const ask = (...options: object[]) => ({ ask: { questions: [question(...options)] } });
const record = async () => (await owner.get(session)).body.data.session;

test("the turn ends on the question, which stands in the answer with the recommended option first", async () => {
  const sent = await owner.send(
    session,
    script({ sleep: 300 }, { say: "One thing first." }, ask(option("red"), option("green", true), option("blue"))),
  );
  await owner.send(session, script({ say: "I waited." }));
  const job = await owner.jobUntil(session, sent.body.data.chatJobId);
  expect(job).toEqual(expect.objectContaining({ status: "awaiting_response", error: null, errorCode: null }));
  expect(job.completedAt).toEqual(expect.any(String));
  expect(await owner.blocksOf(session, job.id)).toEqual([
    { type: "text", content: "One thing first." },
    {
      type: "clarification",
      clarificationData: { questions: [question(option("green", true), option("red"), option("blue"))] },
    },
  ]);
  const { queue, needsYouReason, latestChatJob } = await record();
  expect(queue).toEqual({ count: 1, paused: { reason: "awaiting_response", pausedAt: expect.any(String) } });
  expect(needsYouReason).toBe("awaiting_response");
  expect(latestChatJob.status).toBe("awaiting_response");
});

test("an ordinary message answers it: the next turn starts at once, and Up next goes on after it", async () => {
  const sent = await owner.send(session, script({ say: "Green it is." }));
  expect(sent.body.data.delivery).toBe("job");
  await until("what waited to run", async () => {
    const { latestChatJob, queue } = await record();
    return latestChatJob.jobNumber === sent.body.data.jobNumber + 1 && latestChatJob.status === "completed" && queue;
  });
  const answers = (await owner.messages(session)).slice(-4);
  expect(answers.map(({ blocks }: { blocks: unknown[] }) => blocks)).toEqual([
    [],
    [{ type: "text", content: "Green it is." }],
    [],
    [{ type: "text", content: "I waited." }],
  ]);
  expect(await record()).toEqual(
    expect.objectContaining({ queue: { count: 0, paused: null }, needsYouReason: null, status: "active" }),
  );
});

test("without any recommendation the first option is the recommended one", async () => {
  const job = await owner.run(session, ask(option("red"), option("blue")));
  const [block] = await owner.blocksOf(session, job.id);
  expect(block?.clarificationData).toEqual({ questions: [question(option("red", true), option("blue"))] });
});

test.each([
  ["one option", [option("red")]],
  ["five options", ["a", "b", "c", "d", "e"].map((title) => option(title))],
  ["no options", []],
])("a question with %s is sent back to the agent, and the turn goes on", async (_, options) => {
  const job = await owner.run(session, ask(...options), { say: "Then without asking." });
  expect(job.status).toBe("completed");
  const blocks = await owner.blocksOf(session, job.id);
  expect(blocks.filter(({ type }) => type === "clarification")).toEqual([]);
  expect(blocks.at(-1)).toEqual({ type: "text", content: "Then without asking." });
});

test("a script's steps behind a question do not run: the question ends the turn", async () => {
  const job = await owner.run(session, ask(option("red"), option("blue")), { bash: "touch later.txt" });
  expect(job.status).toBe("awaiting_response");
  const file = await owner.get(`${session}/preview/files/content?path=later.txt`);
  expect(file.status).toBe(404);
});
