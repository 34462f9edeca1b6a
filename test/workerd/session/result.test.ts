// The result of a turn in its session's object: recorded, kept through restarts, and needed at the
// end.
import { abortAllDurableObjects } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { beginSession, by, completed, type SessionDriver, started, toolBlock } from "../support/session-driver.ts";

const resultSchema = JSON.stringify({ type: "object", properties: { pass: { type: "boolean" } }, required: ["pass"] });
const asking = (content: string) => {
  const body = createTextMessage(content);
  return { body: { ...body, context: { ...body.context, resultSchema } } };
};

let driver: SessionDriver;
beforeEach(async () => {
  driver = await beginSession();
});

async function begin(content = "Judge.") {
  const delivery = await driver.send(content, asking(content));
  if (isRefusal(delivery) || delivery.delivery !== "job") throw new Error(JSON.stringify(delivery));
  const { turnId } = delivery;
  const link = await driver.link(turnId);
  await link.tell(1, started);
  return { turnId, link };
}
const submit = (turnId: string, result: unknown) =>
  driver.session().runTool(turnId, { tool: "submit-result", result: JSON.stringify(result) });
const read = async (turnId: string) => await driver.session().turn(turnId);

test("a result is in the job while the turn runs, and after restarts of the object", async () => {
  const { turnId } = await begin();
  expect(await submit(turnId, { pass: "yes" })).toMatchObject({ code: "BAD_REQUEST" });
  await abortAllDurableObjects();
  expect(await submit(turnId, { pass: true })).toMatchObject({ endsTurn: true });
  await abortAllDurableObjects();
  expect(await read(turnId)).toMatchObject({ status: "running", result: '{"pass":true}' });
  const link = await driver.link(turnId);
  await link.tell(2, completed);
  expect(await read(turnId)).toMatchObject({ status: "completed", errorCode: null, result: '{"pass":true}' });
  expect(await submit(turnId, { pass: false })).toMatchObject({ code: "FORBIDDEN" });
});

test("a turn that ends without fails, and Up next pauses", async () => {
  const { turnId, link } = await begin();
  await driver.send("Later.");
  await link.tell(2, completed);
  expect(await read(turnId)).toMatchObject({ status: "failed", errorCode: "result_missing", result: null });
  expect((await driver.state()).chat.pause).toMatchObject({ reason: "failed" });
});

test("a sandbox gets the schema with each start of the turn, also after a restart", async () => {
  await driver.sandbox.behave("waits");
  await driver.send("Judge.", asking("Judge."));
  const profiles = async () => (await driver.sandbox.requests()).map(({ profile }) => profile);
  await expect.poll(profiles).toHaveLength(1);
  await abortAllDurableObjects();
  await driver.sandbox.behave("takes");
  await driver.state();
  await expect.poll(profiles).toHaveLength(2);
  for (const profile of await profiles())
    expect(profile).toMatchObject({ resultSchema, tools: expect.arrayContaining(["submit_result"]) });
});

test("only the turn of a schema has the tool", async () => {
  const { turnId, link } = await begin();
  expect(await driver.session().checkTool({ turnId, generation: 1 }, "submit_result")).toBeNull();
  await submit(turnId, { pass: true });
  await link.tell(2, completed);
  const next = await driver.startTurn("Thanks.");
  const linked = await driver.link(next);
  await linked.tell(1, started);
  const claim = { turnId: next, generation: 1 };
  expect(await driver.session().checkTool(claim, "submit_result")).toMatchObject({ code: "FORBIDDEN" });
});

test("a message of Up next brings its schema, and is not steered before", async () => {
  const { turnId, link } = await begin();
  const queued = await driver.send("Judge again.", asking("Judge again."));
  if (isRefusal(queued) || queued.delivery !== "queued") throw new Error(JSON.stringify(queued));
  expect(await driver.steer(queued.queuedMessageId)).toMatchObject({ code: "STEER_UNAVAILABLE" });
  await link.tell(2, toolBlock(0, "completed", ""));
  await submit(turnId, { pass: true });
  await link.tell(3, completed);
  expect((await driver.state()).chat.turn).toMatchObject({ number: 2, resultSchema, result: null });
});

test("a turn that is being stopped takes none", async () => {
  const { turnId } = await begin();
  const stopping = driver.session().cancel(turnId, by);
  await expect.poll(async () => (await read(turnId))?.stopRequestedAt).not.toBeNull();
  expect(await submit(turnId, { pass: true })).toMatchObject({ code: "FORBIDDEN" });
  await stopping;
});
