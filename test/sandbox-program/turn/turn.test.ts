// A turn of the sandbox program, seen from the service's end of its link.
import { readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closedGate } from "../../support/gate.ts";
import { until } from "../../support/until.ts";
import { expectHandoverIsNeeded } from "../support/handover.ts";
import { getOutput, getText, listBlocks } from "../support/transcript.ts";
import { createScript, startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

test("a turn's events arrive in order and without gaps, from started to ended", async () => {
  const { service } = await world.runTurn([
    { write: { path: "hello.txt", content: "hello\n" } },
    { bash: "cat hello.txt" },
    { say: "The file is there." },
  ]);
  expect(await service.ended()).toEqual({ status: "completed" });
  const { received } = service;
  expect(received.map(({ seq }) => seq)).toEqual(received.map((_, at) => at + 1));
  expect(received[0]?.event.type).toBe("started");
  expect(received.at(-1)?.event.type).toBe("ended");
  expect(listBlocks(received)).toMatchObject([
    { type: "tool", name: "write", title: "hello.txt", status: "completed" },
    { type: "tool", name: "bash", title: "cat hello.txt", status: "completed", output: "hello\n" },
    { type: "text", content: "The file is there." },
  ]);
  expect(service.credentials).toEqual([expect.stringMatching(/^Bearer link-token-/)]);
});

test("the same turn posted twice runs once", async () => {
  const { start, service } = await world.newTurn([{ bash: "echo once >> runs.txt" }, { say: "done" }]);
  const answers = await Promise.all([1, 2, 3].map(() => world.program.call("POST", "/turns", start)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  await service.ended();
  expect((await world.program.call("POST", "/turns", start)).status).toBe(202);
  expect(await readFile(join(world.program.root, "project/runs.txt"), "utf8")).toBe("once\n");
  expect(service.received.filter(({ event }) => event.type === "started")).toHaveLength(1);
});

test("during a turn another is refused, and status has the id of the running one", async () => {
  const gate = await closedGate();
  const first = await world.runTurn([{ bash: gate.command }, { say: "done" }]);
  const second = await world.newTurn([{ say: "never" }]);
  expect(await world.program.call("POST", "/turns", second.start)).toMatchObject({
    status: 409,
    body: { code: "TURN_RUNNING" },
  });
  expect((await world.program.call("GET", "/status")).body).toMatchObject({
    turnId: first.start.turnId,
    checkedOut: true,
  });
  gate.open();
  await first.service.ended();
  expect((await world.program.call("GET", "/status")).body).toMatchObject({ turnId: null });
});

test("a plan is one block that changes during the work", async () => {
  const { service } = await world.runTurn([
    { plan: ["look", "change"] },
    { plan: ["look", "change", "test"] },
    { say: "done" },
  ]);
  await service.ended();
  const blocks = listBlocks(service.received);
  expect(blocks.map(({ type }) => type)).toEqual(["plan", "text"]);
  expect(blocks[0]).toMatchObject({ items: [{ title: "look" }, { title: "change" }, { title: "test" }] });
});

test("a question ends the turn to wait for an answer, with the recommended option first", async () => {
  const option = (title: string, isRecommended: boolean) => ({ title, description: `${title}.`, isRecommended });
  const questions = [{ topic: "Colour", question: "Which?", options: [option("red", false), option("blue", true)] }];
  const { service } = await world.runTurn([{ ask: { questions } }, { say: "never said" }]);
  expect(await service.ended()).toEqual({ status: "awaiting_response" });
  expect(listBlocks(service.received)).toEqual([
    {
      type: "clarification",
      clarificationData: { questions: [{ ...questions[0], options: [option("blue", true), option("red", false)] }] },
    },
  ]);
});

test("a steer is reported as taken and is given to the running agent", async () => {
  const gate = await closedGate();
  const { service } = await world.runTurn([{ bash: gate.command }, { say: "the old plan" }]);
  await until("the command", () => service.received.find(({ event }) => event.type === "block"));
  service.send({ type: "steer", steerId: "steer-1", text: createScript([{ say: "the new plan" }]), attachments: [] });
  gate.open();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(service.received.map(({ event }) => event)).toContainEqual({
    type: "steer",
    steerId: "steer-1",
    outcome: "taken",
  });
  expect(getText(service.received)).toContain("the new plan");
});

test.each([
  ["context_window_exceeded", "context_window_exceeded"],
  ["overloaded", "provider_overloaded"],
  ["rate_limited", "provider_rate_limited"],
  ["unauthorized", "provider_unauthorized"],
])("a provider that fails with %s ends the turn as failed with %s and a readable message", async (fail, errorCode) => {
  const { service } = await world.runTurn([{ bash: "true" }, { fail }]);
  const outcome = await service.ended();
  expect(outcome).toMatchObject({ status: "failed", errorCode });
  expect(outcome).toHaveProperty("error", expect.stringMatching(/^The .+\. (Use|Send|Wait|Connect) /));
});

test("text of an answer that broke off and was requested again does not appear twice", async () => {
  const { service } = await world.runTurn([{ bash: "true" }, { say: "so far" }, { fail: "overloaded" }]);
  expect(await service.ended()).toMatchObject({ status: "failed", errorCode: "provider_overloaded" });
  expect(listBlocks(service.received)).toMatchObject([{ type: "tool" }, { type: "text", content: "so far" }]);
});

test("the next turn continues the conversation, also with another model", async () => {
  const conversation = { id: "long-talk", isNew: true, handover: null };
  const first = await world.runTurn([{ say: "one" }], { conversation });
  await first.service.ended();
  const second = await world.newTurn([{ say: "two" }], { conversation: { ...conversation, isNew: false } });
  second.start.model = {
    ...second.start.model,
    provider: "openai",
    wire: "openai-responses",
    baseUrl: `${world.provider.url}/openai`,
    id: "gpt-practice",
  };
  expect((await world.program.call("POST", "/turns", second.start)).status).toBe(202);
  expect(await second.service.ended()).toEqual({ status: "completed" });
  const file = await readFile(join(world.program.root, "state/conversations/long-talk.jsonl"), "utf8");
  expect(file).toMatch(/"one"[\s\S]*"two"/);
});

test("a turn whose conversation finds no space on the disk says so", async () => {
  const conversation = { id: "full-talk", isNew: true, handover: null };
  const first = await world.runTurn([{ say: "one" }], { conversation });
  expect(await first.service.ended()).toEqual({ status: "completed" });
  // The conversation is still open, and writes at its end.
  const file = join(world.program.root, "state/conversations/full-talk.jsonl");
  await rm(file);
  await symlink("/dev/full", file);
  const second = await world.runTurn([{ say: "two" }], { conversation });
  expect(await second.service.ended()).toEqual({
    status: "failed",
    error: "The sandbox's disk is full. Delete what it does not need, and try again.",
    errorCode: null,
  });
});

test("a conversation that is not on disk is refused, and accepted with a handover", async () => {
  await expectHandoverIsNeeded(world, "lost");
});

test("five megabytes of output become one block of at most 32 KiB with a note", async () => {
  const { service } = await world.runTurn([
    { bash: "head -c 5000000 /dev/zero | tr '\\0' 'x' | fold -w 99" },
    { say: "done" },
  ]);
  await service.ended();
  const output = getOutput(service.received);
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(32 * 1_024);
  expect(output).toContain("the middle is left out");
});

test("no event shows a secret, not even one in pieces of the model's text", async () => {
  const value = "s3cr3t-value-of-the-project";
  const ofService = "s3cr3t-value-of-a-service";
  const { service } = await world.runTurn(
    [{ bash: "echo $API_KEY; echo $PLAIN" }, { say: `It is ${value}, or ${ofService}, is it not?` }],
    {
      env: { API_KEY: value, PLAIN: "not-a-secret" },
      secretNames: ["API_KEY"],
      secrets: [ofService],
    },
  );
  await service.ended();
  expect(JSON.stringify(service.received)).not.toContain("s3cr3t-value");
  expect(getOutput(service.received)).toBe("[redacted]\nnot-a-secret\n");
  expect(getText(service.received)).toBe("It is [redacted], or [redacted], is it not?");
});

test("a turn reports the commit of the Target Branch in its branch, at its start and end", async () => {
  const { git } = world.remote;
  const before = await git("rev-parse", "main");
  const after = await git("commit-tree", "main^{tree}", "-p", "main", "-m", "later");
  await git("update-ref", "refs/heads/main", after);
  const fetched = await world.runTurn([{ bash: "git fetch -q origin" }, { say: "fetched" }]);
  await fetched.service.ended();
  const merged = await world.runTurn([{ bash: "git merge -q origin/main" }, { say: "merged" }]);
  await merged.service.ended();
  const absent = await world.runTurn([{ say: "hi" }], { targetBranch: "not-there" });
  await absent.service.ended();
  const told = ({ service: { received } }: typeof merged) =>
    [received[0], received.at(-1)].map((sent) =>
      sent && "targetCommit" in sent.event ? sent.event.targetCommit : null,
    );
  expect([fetched, merged, absent].map(told)).toEqual([
    [before, before],
    [before, after],
    [null, null],
  ]);
});
