// The result of a turn in its sandbox: each provider is offered the schema of the message, the
// service checks what the model submits, and an agent that ends without is reminded once.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { catalog } from "../../../src/model/catalog.ts";
import { type ProviderId, providerIds } from "../../../src/model/rules/provider.ts";
import { toTurnModel } from "../../../src/model/turn-model.ts";
import { closedGate } from "../../support/gate.ts";
import { until } from "../../support/until.ts";
import { type RecordingGateway, startRecordingGateway } from "../support/recording-gateway.ts";
import { getText, listBlocks } from "../support/transcript.ts";
import { profile, startWorld, type World } from "../support/world.ts";

let world: World;
let gateway: RecordingGateway;
beforeAll(async () => {
  world = await startWorld();
  gateway = await startRecordingGateway(world.provider.url);
});
afterEach(() => {
  world.api.calls.length = 0;
  gateway.requests.length = 0;
});
afterAll(async () => {
  await world?.end();
  await gateway?.stop();
});

const schema = {
  type: "object",
  properties: { pass: { type: "boolean" }, line: { anyOf: [{ type: "integer" }, { type: "null" }] } },
  required: ["pass"],
  additionalProperties: false,
};
const wanted = (of: object = schema) => profile({ tools: ["ask", "submit_result"], resultSchema: JSON.stringify(of) });
const taken = { status: 200, body: JSON.stringify({ text: "Taken.", questions: null, endsTurn: true }) };
const submitted = () =>
  world.api.calls.filter(({ path }) => path === "/tools/submit-result").map(({ body }) => JSON.parse(String(body)));
const offered = () =>
  gateway.requests.map(({ body }) => {
    type Offer = { tools?: Record<string, unknown>[] };
    const { tools = [], input = [] } = JSON.parse(body) as Offer & { input?: Offer[] };
    // One provider is offered tools in items of its input.
    return [...tools, ...input.flatMap((item) => item.tools ?? [])].find(({ name }) => name === "submit_result");
  });

function modelOf(provider: ProviderId) {
  const { value } = catalog.find((entry) => entry.provider === provider) ?? { value: "" };
  const model = toTurnModel(value);
  if (!model) throw new Error(`There is no model of ${provider}.`);
  return { ...model, baseUrl: `${gateway.url}/${provider}`, token: "sk-practice-results" };
}

describe.each(providerIds)("%s", (provider) => {
  const field = provider === "openai" ? "parameters" : "input_schema";

  test("is offered the whole schema, and a value reaches the service as the model wrote it", async () => {
    world.api.answers.push({ status: 400, body: "pass must be true or false." }, taken);
    const { service } = await world.runTurn([{ submit: { pass: null, line: "3" } }, { submit: { pass: true } }], {
      model: modelOf(provider),
      profile: wanted(),
    });
    expect(await service.ended()).toEqual({ status: "completed" });
    expect(submitted()).toEqual([{ result: { pass: null, line: "3" } }, { result: { pass: true } }]);
    expect(listBlocks(service.received)).toMatchObject([
      { name: "submit_result", status: "failed", output: "pass must be true or false." },
      { name: "submit_result", status: "completed", output: "Taken." },
    ]);
    expect(offered()).toHaveLength(2);
    for (const tool of offered()) expect(tool?.[field]).toEqual(schema);
  });

  test("is offered the schema of each turn of a conversation", async () => {
    const later = { type: "object", properties: { score: { type: "number" } } };
    const model = modelOf(provider);
    world.api.answers.push(taken, taken);
    const first = await world.runTurn([{ submit: { pass: true } }], { model, profile: wanted() });
    await first.service.ended();
    const conversation = { ...first.start.conversation, isNew: false };
    const next = await world.runTurn([{ submit: { score: 1 } }], { model, profile: wanted(later), conversation });
    expect(await next.service.ended()).toEqual({ status: "completed" });
    expect(offered().map((tool) => tool?.[field])).toEqual([schema, later]);
  });
});

const reminders = () => gateway.requests.filter(({ body }) => body.includes("You ended without the result")).length;

describe("an agent that ends without a result", () => {
  test("is reminded once, and its result ends the turn", async () => {
    world.api.answers.push(taken);
    const steps = [{ say: "Done." }, { end: true }, { submit: { pass: true } }];
    const { service } = await world.runTurn(steps, { model: modelOf("anthropic"), profile: wanted() });
    expect(await service.ended()).toEqual({ status: "completed" });
    expect(submitted()).toEqual([{ result: { pass: true } }]);
    expect(reminders()).toBe(1);
  });

  test("and ends again is not reminded again", async () => {
    const { service } = await world.runTurn([{ say: "Done." }, { end: true }, { say: "Really." }], {
      model: modelOf("anthropic"),
      profile: wanted(),
    });
    expect(await service.ended()).toEqual({ status: "completed" });
    expect([getText(service.received), submitted()]).toEqual(["Done.Really.", []]);
    expect(gateway.requests).toHaveLength(2);
  });

  test("keeps what it said before the reminder, also if its next answer is cut and repeated", async () => {
    gateway.absences.push(null, "cut");
    const { service } = await world.runTurn([{ say: "Done." }, { end: true }, { say: "Really." }], {
      model: modelOf("anthropic"),
      profile: wanted(),
    });
    expect(await service.ended()).toEqual({ status: "completed" });
    expect(listBlocks(service.received)).toEqual([
      { type: "text", content: "Done." },
      { type: "text", content: "Really." },
    ]);
  });

  const option = (title: string) => ({ title, description: title, isRecommended: false });
  const question = { topic: "A", question: "Which?", options: [option("a"), option("b")] };
  test.each<[status: string, step: object]>([
    ["awaiting_response", { ask: { questions: [question] } }],
    ["failed", { fail: "unauthorized" }],
  ])("is not reminded if its turn is %s", async (status, step) => {
    const { service } = await world.runTurn([step], { model: modelOf("anthropic"), profile: wanted() });
    expect(await service.ended()).toMatchObject({ status });
    expect(reminders()).toBe(0);
  });

  test("is not reminded if it was asked for none", async () => {
    const { service } = await world.runTurn([{ say: "Done." }], { model: modelOf("anthropic") });
    expect(await service.ended()).toEqual({ status: "completed" });
    expect([offered(), reminders()]).toEqual([[undefined], 0]);
  });

  test("is not reminded if it was stopped", async () => {
    const gate = await closedGate();
    const { service } = await world.runTurn([{ bash: gate.command }, { say: "Done." }], {
      model: modelOf("anthropic"),
      profile: wanted(),
    });
    await until("the command", () => service.received.some(({ event }) => event.type === "block"));
    service.send({ type: "stop" });
    expect(await service.ended()).toEqual({ status: "cancelled" });
    expect(reminders()).toBe(0);
  });
});

test("a steer that comes as the result is submitted continues the turn, which then needs no other", async () => {
  const gate = await closedGate();
  world.api.answers.push(taken);
  const { service } = await world.runTurn([{ bash: gate.command }, { submit: { pass: true } }, { say: "Noted." }], {
    model: modelOf("anthropic"),
    profile: wanted(),
  });
  await until("the command", () => service.received.some(({ event }) => event.type === "block"));
  service.send({ type: "steer", steerId: "late", text: "Mind the gap.", attachments: [] });
  gate.open();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(submitted()).toEqual([{ result: { pass: true } }]);
  expect(reminders()).toBe(0);
});
