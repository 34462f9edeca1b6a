// A result by schema: a message asks for it, the agent of its turn submits it, and the job has it.
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { until } from "../support/until.ts";

const owner = createClient(apiWorld());
const resultSchema = {
  type: "object",
  properties: { pass: { type: "boolean" }, reasons: { type: "array", items: { type: "string" } } },
  required: ["pass", "reasons"],
  additionalProperties: false,
};
const good = { pass: true, reasons: ["All 12 tests pass."] };
const bad = { pass: null, reasons: [1] };

let session: string;
let first: string | undefined;
beforeAll(async () => {
  const content = script({ bash: "echo looked" }, { submit: good });
  const created = await owner.createSession({ title: "Results", content, resultSchema });
  [session, first] = [created.path, created.jobId];
});

async function ask(...steps: Record<string, unknown>[]) {
  const sent = await owner.send(session, script(...steps), { resultSchema });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const job = await owner.jobUntil(session, sent.body.data.chatJobId);
  return { job, blocks: await owner.listBlocks(session, job.id) };
}

test("a hit ends the turn, and is the result of its job", async () => {
  expect(await owner.jobUntil(session, first)).toMatchObject({ status: "completed", errorCode: null, result: good });
  const blocks = await owner.listBlocks(session, first);
  expect(blocks.at(-1)).toMatchObject({ type: "tool", name: "submit_result", status: "completed", input: good });
  // A page of jobs has no results: they are limited one by one.
  const listed = (await owner.get(`${session}/jobs/chat`)).body.data;
  expect(listed.find(({ id }: { id: string }) => id === first)).toMatchObject({ status: "completed", result: null });
});

test("a miss goes back with the fields that are wrong, and the turn continues", async () => {
  const { job, blocks } = await ask({ submit: bad }, { submit: good });
  expect(job).toMatchObject({ status: "completed", result: good });
  const [missed, hit] = blocks.filter(({ name }) => name === "submit_result");
  expect(missed).toMatchObject({ status: "failed" });
  expect(missed?.output).toBe(
    "The result was not taken. pass must be true or false. reasons.0 must be a text. Submit all of it again.",
  );
  expect(hit).toMatchObject({ status: "completed" });
});

test("an agent that ends without is asked once more in the same turn", async () => {
  const { job } = await ask({ say: "Done." }, { end: true }, { submit: good });
  expect(job).toMatchObject({ status: "completed", result: good });
});

test("an agent that then ends without again fails the turn", async () => {
  const { job, blocks } = await ask({ say: "Done." }, { end: true }, { say: "Still done." });
  expect(job).toMatchObject({ status: "failed", errorCode: "result_missing", result: null });
  expect(blocks.map(({ content }) => content)).toEqual(["Done.", "Still done."]);
});

test("without a schema there is neither a tool nor a result", async () => {
  const job = await owner.run(session, { submit: good }, { say: "No such tool." });
  expect(job).toMatchObject({ status: "completed", result: null });
});

describe("a question in between", () => {
  const option = (title: string) => ({ title, description: title, isRecommended: false });
  const question = { topic: "Strictness", question: "How strict?", options: [option("very"), option("little")] };

  test("ends the turn without a result, and the turn of the answer has the schema", async () => {
    const { job } = await ask({ ask: { questions: [question] } });
    expect(job).toMatchObject({ status: "awaiting_response", result: null });
    expect(await owner.run(session, { submit: good })).toMatchObject({ status: "completed", result: good });
    expect(await owner.run(session, { say: "Thanks." })).toMatchObject({ status: "completed", result: null });
  });
});

test("a steer in between joins the turn, which still ends with its result", async () => {
  const gate = await closedGate();
  const steps = script({ bash: gate.command }, { submit: bad }, { submit: good });
  const sent = await owner.send(session, steps, { resultSchema });
  const jobId = sent.body.data.chatJobId;
  await until("the command", async () => (await owner.listBlocks(session, jobId)).length > 0);
  expect((await owner.send(session, "Mind the gap.", { steer: true })).body.data.delivery).toBe("steer");
  gate.open();
  expect(await owner.jobUntil(session, jobId)).toMatchObject({ status: "completed", result: good });
});

test.each([{ model: "openai:gpt__medium" }, { model: "zai:glm__high" }, { model: "kimi:k3__high" }, {}])(
  "each provider is offered the tool with the whole schema: %j",
  async (more) => {
    const sent = await owner.send(session, script({ submit: bad }, { submit: good }), { resultSchema, ...more });
    expect(await owner.jobUntil(session, sent.body.data.chatJobId)).toMatchObject({ result: good });
  },
);

test("a message of Up next keeps its schema through an edit, and is not steered", async () => {
  const gate = await closedGate();
  const running = await owner.send(session, script({ bash: gate.command }, { say: "First." }));
  const jobId = running.body.data.chatJobId;
  await until("the command", async () => (await owner.listBlocks(session, jobId)).length > 0);
  const queued = await owner.send(session, "Later.", { resultSchema, steer: true });
  expect(queued.body.data.delivery).toBe("queued");
  const path = `${session}/queue/${queued.body.data.queuedMessageId}`;
  expect((await owner.post(`${path}/steer`)).body).toMatchObject({ code: "STEER_UNAVAILABLE" });
  expect((await owner.call("PATCH", path, { content: script({ submit: good }) })).status).toBe(204);
  gate.open();
  await owner.jobUntil(session, jobId);
  const next = await until("the next turn", async () => {
    const { latestChatJob } = (await owner.get(session)).body.data.session;
    return latestChatJob.id !== jobId && latestChatJob;
  });
  expect(await owner.jobUntil(session, next.id)).toMatchObject({ status: "completed", result: good });
});

test.each([
  ["resultSchema.type must be object: a result is an object.", { resultSchema: { type: "array" } }],
  [
    "resultSchema.properties.a.pattern is not taken: its check may take too long.",
    { resultSchema: { type: "object", properties: { a: { type: "string", pattern: "(a+)+$" } } } },
  ],
])("a bad schema is refused with its place: %s", async (message, body) => {
  const refused = { status: 400, body: { code: "VALIDATION_ERROR", error: message } };
  expect(await owner.send(session, "Hello.", body)).toMatchObject(refused);
  expect(await owner.post(session.replace(/\/[^/]+$/, ""), { content: "Hello.", ...body })).toMatchObject(refused);
});

test("a session of the Backlog takes no schema", async () => {
  const refused = await owner.post(session.replace(/\/[^/]+$/, ""), {
    prompt: "Later.",
    status: "backlog",
    resultSchema,
  });
  expect(refused).toMatchObject({ status: 400, body: { details: [{ path: "resultSchema" }] } });
});
