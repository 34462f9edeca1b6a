// A clarification: the agent asks, the question ends the turn, and an ordinary message answers it.
import { beforeAll, describe, expect, test } from "vitest";
import { createName } from "../../src/lib/ids.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const phone = { bundleId: "com.example.app", environment: "production", platform: "ios" };
const token = createName(40).replace(/[^0-9a-f]/gi, "a");
let session: string;
beforeAll(async () => {
  for (const device of [token.toUpperCase(), token]) {
    expect((await owner.call("POST", "/api/push/devices", { ...phone, token: device })).status).toBe(204);
  }
  const created = await owner.createSession({ title: "Questions", content: script({ say: "Ready." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
});

const option = (title: string, isRecommended = false) => ({ title, description: `About ${title}`, isRecommended });
const question = (...options: object[]) => ({ topic: "Colour", question: "Which colour?", options });
const ask = (...options: object[]) => ({ ask: { questions: [question(...options)] } });
const record = async () => (await owner.get(session)).body.data.session;

test("the turn ends with the question, whose recommended option is first", async () => {
  const gate = await closedGate();
  const asked = ask(option("red"), option("green", true), option("blue"));
  const sent = await owner.send(session, script({ bash: gate.command }, { say: "One thing first." }, asked));
  await owner.send(session, script({ say: "I waited." }));
  gate.open();
  const job = await owner.jobUntil(session, sent.body.data.chatJobId);
  expect(job).toEqual(expect.objectContaining({ status: "awaiting_response", error: null, errorCode: null }));
  expect(job.completedAt).toEqual(expect.any(String));
  expect(await owner.listBlocks(session, job.id)).toEqual([
    expect.objectContaining({ type: "tool", status: "completed" }),
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

test("the Assignee's phone is notified of it once, without the content of the question", async () => {
  const received = async () => {
    const answer = await fetch(`${world.pushUrl}/received`);
    const { received } = (await answer.json()) as { received: { token: string }[] };
    return received.filter((one) => one.token === token);
  };
  const [notice, ...others] = await until("the notice", async () => {
    const list = await received();
    return list.length > 0 && list;
  });
  expect(others).toEqual([]);
  expect(notice).toMatchObject({
    ...{ environment: "production", topic: "com.example.app", times: 1 },
    payload: {
      aps: { alert: { title: "Questions", body: "The agent waits for your answer." } },
      ...{ kind: "job_awaiting_response", sessionPath: session },
    },
  });
  expect(JSON.stringify(notice)).not.toContain("colour");
  expect((await owner.call("DELETE", "/api/push/devices", { token })).status).toBe(204);
});

test("an ordinary message answers it: the next turn starts immediately, and the queue continues afterwards", async () => {
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

test("without a recommendation, the first option is the recommended one", async () => {
  const job = await owner.run(session, ask(option("red"), option("blue")));
  const [block] = await owner.listBlocks(session, job.id);
  expect(block?.clarificationData).toEqual({ questions: [question(option("red", true), option("blue"))] });
});

test.each([
  ["one option", [option("red")]],
  ["five options", ["a", "b", "c", "d", "e"].map((title) => option(title))],
  ["no options", []],
])("a question with %s is sent back to the agent, and the turn continues", async (_, options) => {
  const job = await owner.run(session, ask(...options), { say: "Then without asking." });
  expect(job.status).toBe("completed");
  const blocks = await owner.listBlocks(session, job.id);
  expect(blocks.filter(({ type }) => type === "clarification")).toEqual([]);
  expect(blocks.at(-1)).toEqual({ type: "text", content: "Then without asking." });
});

test("the steps of a script after a question do not run, because the question ends the turn", async () => {
  const job = await owner.run(session, ask(option("red"), option("blue")), { bash: "touch later.txt" });
  expect(job.status).toBe("awaiting_response");
  const file = await owner.get(`${session}/preview/files/content?path=later.txt`);
  expect(file.status).toBe(404);
});

describe("answers", () => {
  const asked = { topic: "Colour", question: "Which colour?", options: [option("red", true), option("blue")] };
  const sizes = { topic: "Size", question: "Which size?", options: [option("small", true), option("large")] };
  const both = { ask: { questions: [asked, sizes] } };
  const choices = {
    questions: [
      { question: "Which colour?", options: ["red", "blue"] },
      { question: "Which size?", options: ["small", "large"] },
    ],
  };

  test("by option text and number start the next turn, even without a message text, and are stored with the message", async () => {
    await owner.run(session, both);
    const answers = [
      { question: "Which size?", option: 1 },
      { question: 0, option: "blue" },
    ];
    const sent = await owner.send(session, "", { answers });
    expect(sent.body.data).toMatchObject({ delivery: "job" });
    expect(await owner.jobUntil(session, sent.body.data.chatJobId)).toMatchObject({ status: "completed" });
    const message = (await owner.messages(session)).findLast(({ role }: { role: string }) => role === "user");
    expect(message).toMatchObject({
      content: "",
      context: {
        answers: [
          { question: "Which colour?", option: "blue" },
          { question: "Which size?", option: "large" },
        ],
      },
    });
  });

  test("are JSON in a form, whose content may be empty", async () => {
    await owner.run(session, both);
    const form = new FormData();
    form.append("content", "");
    form.append("answers", JSON.stringify([{ question: 0, option: 0 }]));
    const headers = { authorization: `Bearer ${apiWorld().users.owner.apiKey}` };
    const response = await fetch(`${apiWorld().baseUrl}${session}/jobs/chat`, { method: "POST", headers, body: form });
    const { data } = (await response.json()) as { data: { chatJobId: string } };
    expect(response.status).toBe(201);
    await owner.jobUntil(session, data.chatJobId);
  });

  test.each<[what: string, answers: object[]]>([
    ["a question that nobody asked", [{ question: "Why?", option: 0 }]],
    ["an option that is not among the choices", [{ question: 0, option: "green" }]],
    [
      "a question twice",
      [
        { question: 0, option: 0 },
        { question: "Which colour?", option: 1 },
      ],
    ],
  ])("with %s are refused with the choices, and the question stays open", async (_, answers) => {
    if ((await record()).needsYouReason !== "awaiting_response") await owner.run(session, both);
    const refused = await owner.send(session, "Here.", { answers });
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([400, "BAD_REQUEST", choices]);
    expect((await record()).needsYouReason).toBe("awaiting_response");
  });

  test("are refused if no clarification is open", async () => {
    const gate = await closedGate();
    const sent = await owner.send(session, script({ bash: gate.command }, { say: "Done." }));
    const answers = [{ question: 0, option: 0 }];
    const refused = await owner.send(session, "Here.", { answers });
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([400, "BAD_REQUEST", { questions: [] }]);
    gate.open();
    await owner.jobUntil(session, sent.body.data.chatJobId);
    expect((await owner.send(session, "", { answers })).body.code).toBe("BAD_REQUEST");
  });

  test.each<[what: string, answers: unknown]>([
    ["that are no list", { question: 0, option: 0 }],
    ["without an option", [{ question: 0 }]],
    ["below 0", [{ question: -1, option: 0 }]],
    ["with another field", [{ question: 0, option: 0, why: "so" }]],
  ])("%s have an invalid shape", async (_, answers) => {
    expect((await owner.send(session, "Here.", { answers })).body.code).toBe("VALIDATION_ERROR");
  });

  test("without options count as an empty message", async () => {
    expect((await owner.send(session, "", { answers: [] })).body.code).toBe("VALIDATION_ERROR");
  });
});
