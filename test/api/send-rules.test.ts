// The effects of the fields of a send: another provider's model, a new agent for a conversation
// that is too long, and additional context for the agent.
import { beforeAll, describe, expect, test } from "vitest";
import { agentRecord } from "../support/agent-record.ts";
import { apiWorld } from "../support/api-world.ts";
import { type Client, createClient, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { addGatedProject } from "../support/held-sandbox.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const { sql, storedKeys } = createInside(world);
const uuid = "0197a1b2-0000-7000-8000-000000000000";

let session: string;
beforeAll(async () => {
  const created = await owner.createSession({ title: "Sends", content: script({ say: "Ready." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
});
const record = async (path = session) => (await owner.get(path)).body.data.session;

/** Sends a message, waits for its turn, and returns its job and the agent's last text. */
async function turn(content: string, more: Record<string, unknown> = {}, client: Client = owner) {
  const sent = await client.send(session, content, more);
  expect(sent.body.data).toMatchObject({ delivery: "job" });
  const job = await client.jobUntil(session, sent.body.data.chatJobId);
  return { job, said: (await client.listBlocks(session, job.id)).at(-1)?.content };
}

describe("a model of another provider", () => {
  test("starts a new agent with the conversation so far, and so does the switch back", async () => {
    await turn(script({ say: "The password is swordfish." }), { model: "anthropic:opus__high" });
    for (const model of ["openai:gpt__low", "anthropic:opus__high"]) {
      await turn(script({ say: "Seen." }), { model });
      expect(await agentRecord(world, owner, session)).toContain("swordfish");
    }
  });
});

describe("retryFailedJobId", () => {
  const fail = script({ bash: "true" }, { fail: "context_window_exceeded" });

  test("starts the turn after a conversation that was too long with a new agent", async () => {
    const failed = (await turn(fail)).job;
    expect(failed).toMatchObject({ status: "failed", errorCode: "context_window_exceeded" });
    const { job, said } = await turn(script({ say: "Fresh." }), { retryFailedJobId: failed.id });
    expect([job.status, said]).toEqual(["completed", "Fresh."]);
    expect((await turn(script({ say: "And on." }))).job.status).toBe("completed");
  });

  test("is ignored if it names no job, an older one, or one that failed for another reason", async () => {
    const older = (await turn(fail)).job;
    const other = (await turn(script({ fail: "unauthorized" }))).job;
    for (const retryFailedJobId of [uuid, older.id, other.id]) {
      expect((await turn(script({ say: "Plain." }), { retryFailedJobId })).said).toBe("Plain.");
    }
  });

  test("starts no turn while one runs", async () => {
    const failed = (await turn(fail)).job;
    const gate = await closedGate();
    const running = await owner.send(session, script({ bash: gate.command }, { say: "First." }));
    const waiting = await owner.send(session, script({ say: "Second." }), { retryFailedJobId: failed.id });
    expect(waiting.body.data.delivery).toBe("queued");
    gate.open();
    await owner.jobUntil(session, running.body.data.chatJobId);
    await owner.jobUntil(session, (await record()).latestChatJob.id);
  });
});

describe("previewContext", () => {
  test("gives the agent the page that its user looks at, and is not part of the user's text", async () => {
    const content = script({ bash: "true" }, { say: "Seen." });
    const { job } = await turn(content, { previewContext: { frontendName: "web", path: "/board?card=7" } });
    expect(await agentRecord(world, owner, session)).toContain("/board?card=7");
    const message = (await owner.messages(session)).find(({ jobId }: { jobId: string }) => jobId === job.id);
    expect(message.content).toBe(content);
  });
});

describe("an Idempotency-Key", () => {
  test("returns the same job while the sandbox starts, and after the turn has ended", async () => {
    const { projectId, open } = await addGatedProject(world);
    const here = createClient({ ...world, projectId });
    const { path } = await here.createSession({ title: "Repeats" });
    const send = () =>
      here.post(`${path}/jobs/chat`, { content: script({ say: "Once." }) }, { "idempotency-key": "one" });
    const first = await send();
    expect(first.body.data.delivery).toBe("job");
    expect((await send()).body).toEqual(first.body);
    open();
    await here.jobUntil(path, first.body.data.chatJobId);
    expect((await send()).body).toEqual(first.body);
    expect((await here.get(`${path}/jobs/chat`)).body.data).toHaveLength(1);
    await here.delete(path);
  });

  test("of a queued message returns the same queued message, even after its turn has run", async () => {
    const gate = await closedGate();
    const running = await owner.send(session, script({ bash: gate.command }, { say: "First." }));
    const send = () =>
      owner.post(`${session}/jobs/chat`, { content: script({ say: "Second." }) }, { "idempotency-key": "w" });
    const [first, second] = await Promise.all([send(), send()]);
    expect(first.body.data.delivery).toBe("queued");
    expect(second.body).toEqual(first.body);
    gate.open();
    await owner.jobUntil(session, running.body.data.chatJobId);
    await owner.jobUntil(session, (await record()).latestChatJob.id);
    expect((await send()).body).toEqual(first.body);
    expect((await owner.upNext(session)).messages).toEqual([]);
  });

  test("applies separately to an activation, a steer and a command", async () => {
    const key = { "idempotency-key": "everywhere" };
    const { path } = await owner.createSession({ status: "backlog", prompt: script({ bash: "sleep 600" }) });
    const activate = () => owner.post(`${path}/activate`, undefined, key);
    const [one, two] = await Promise.all([activate(), activate()]);
    expect([one.status, two.body.data.chatJobId]).toEqual([200, one.body.data.chatJobId]);
    await owner.jobUntil(path, one.body.data.chatJobId, ["running"]);
    const { queuedMessageId } = (await owner.post(`${path}/jobs/chat`, { content: "Steer." }, key)).body.data;
    const steer = () => owner.post(`${path}/queue/${queuedMessageId}/steer`, undefined, key);
    const steered = await steer();
    expect(steered.body.data.delivery).toBe("steer");
    expect((await steer()).body).toEqual(steered.body);
    await owner.post(`${path}/jobs/chat/${one.body.data.chatJobId}/cancel`);
    await owner.jobUntil(path, one.body.data.chatJobId);
    const clear = () => owner.post(`${path}/runtime-commands`, { command: "/clear" }, key);
    expect((await clear()).status).toBe(202);
    expect((await clear()).status).toBe(202);
    await owner.delete(path);
  });
});

describe("a form that is refused leaves no stored file", () => {
  async function sendForm(path: string, fields: Record<string, string>): Promise<number> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set("attachment_0", new File(["one"], "one.txt"));
    form.set("attachment_1", new File(["x".repeat(9_000_000)], "two.txt"));
    const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
    return (await fetch(`${world.baseUrl}${path}/jobs/chat`, { method: "POST", headers, body: form })).status;
  }
  const two = { content: "See.", attachmentCount: "2" };

  test.each<[string, Record<string, string>, "backlog" | "active", number]>([
    ["a count that does not fit", { ...two, attachmentCount: "3" }, "active", 400],
    ["a field of the wrong shape", { ...two, runningJobId: "one" }, "active", 400],
    ["no content", { attachmentCount: "2" }, "active", 400],
    ["a session of the Backlog", two, "backlog", 400],
    ["a project that deploys", two, "active", 409],
  ])("%s", async (_, fields, status, expected) => {
    const { id, path } = await owner.createSession({ title: "Forms", status, prompt: "Later." });
    const holdUp = (isHeldByDeploy: boolean) =>
      sql("UPDATE projects SET holds_sessions_up = ? WHERE id = ?", Number(isHeldByDeploy), world.projectId);
    if (expected === 409) await holdUp(true);
    try {
      expect(await sendForm(path, fields)).toBe(expected);
    } finally {
      await holdUp(false);
    }
    expect(await storedKeys(`sessions/${id}/`)).toEqual([]);
  });
});
