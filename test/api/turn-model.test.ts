// The model of a turn, and how a message changes it.
import { beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";

const owner = createClient(apiWorld());
let session: string;
beforeAll(async () => {
  const created = await owner.createSession({ title: "Models", content: script({ say: "One." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
});

const modelNow = async () => (await owner.get(session)).body.data.session.model;

async function runOn(model: unknown, ...steps: Record<string, unknown>[]) {
  const sent = await owner.send(session, script(...steps), { model });
  const job = await owner.jobUntil(session, sent.body.data.chatJobId);
  return { job, blocks: await owner.listBlocks(session, job.id) };
}

test("a session without a model runs on one of the catalog and keeps it", async () => {
  const values = (await owner.get("/api/models")).body.data.map(({ value }: { value: string }) => value);
  expect(values).toContain(await modelNow());
});

test.each(["openai:gpt__medium", "zai:glm__high", "anthropic:sonnet__ultra", "anthropic:opus__high__fast"])(
  "a message can switch the session to %s, which later turns keep",
  async (model) => {
    const { job, blocks } = await runOn(model, { bash: "echo on it" }, { say: `On ${model}.` });
    expect(job.status).toBe("completed");
    expect(blocks.at(-1)).toEqual({ type: "text", content: `On ${model}.` });
    expect(await modelNow()).toBe(model);
    await owner.run(session, { say: "Again." });
    expect(await modelNow()).toBe(model);
  },
);

test.each(["nothing:at-all__high", "anthropic:opus", "", "opus__high", "openai:gpt__medium__ultrafast", "__proto__"])(
  "an unknown model is ignored and the turn runs: %j",
  async (model) => {
    const before = await modelNow();
    const { job } = await runOn(model, { say: "Anyway." });
    expect([job.status, await modelNow()]).toEqual(["completed", before]);
  },
);

test("the model of a queued message is ignored", async () => {
  const before = await modelNow();
  const gate = await closedGate();
  const running = await owner.send(session, script({ bash: gate.command }, { say: "First." }));
  const waiting = await owner.send(session, script({ say: "Second." }), { model: "openai:gpt-luna__low" });
  expect([running.body.data.delivery, waiting.body.data.delivery]).toEqual(["job", "queued"]);
  gate.open();
  await owner.jobUntil(session, running.body.data.chatJobId);
  const { latestChatJob } = (await owner.get(session)).body.data.session;
  await owner.jobUntil(session, latestChatJob.id);
  expect((await owner.messages(session)).at(-1).blocks).toEqual([{ type: "text", content: "Second." }]);
  expect(await modelNow()).toBe(before);
});
