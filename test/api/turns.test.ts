// A turn from its send to its end, and its conversation.
import { beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let session: string;
beforeAll(async () => {
  const created = await owner.createSession({ title: "Turns", content: script({ say: "Here I am." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
});

test("a send to an idle session starts a turn, which runs and completes", async () => {
  const gate = await closedGate();
  const { status, body } = await owner.send(session, script({ bash: gate.command }, { say: "Done." }));
  expect({ status, body }).toEqual({
    status: 201,
    body: { data: { delivery: "job", chatJobId: uuid, jobNumber: 2 } },
  });
  const { chatJobId } = body.data;
  const early = await owner.jobUntil(session, chatJobId, ["pending", "running"]);
  expect(early).toEqual(expect.objectContaining({ id: chatJobId, error: null, errorCode: null, completedAt: null }));
  gate.open();
  const job = await owner.jobUntil(session, chatJobId);
  expect(job).toEqual({
    boot: null,
    id: chatJobId,
    status: "completed",
    jobNumber: 2,
    error: null,
    errorCode: null,
    result: null,
    usage: {
      inputTokens: expect.any(Number),
      cachedTokens: 0,
      outputTokens: expect.any(Number),
      costUsd: expect.any(Number),
      payer: "workspace",
    },
    createdAt: timestamp,
    startedAt: timestamp,
    completedAt: timestamp,
  });
  expect([job.createdAt, job.startedAt, job.completedAt].sort()).toEqual([
    job.createdAt,
    job.startedAt,
    job.completedAt,
  ]);
});

test("the agent's work is in its message block by block, in order", async () => {
  const job = await owner.run(
    session,
    { plan: ["look", "act"] },
    { write: { path: "notes/hello.txt", content: "hello from a turn\n" } },
    { bash: "cat notes/hello.txt" },
    { say: "All done." },
  );
  const tool = { type: "tool", status: "completed", startedAt: timestamp, completedAt: timestamp };
  expect(await owner.listBlocks(session, job.id)).toEqual([
    {
      type: "plan",
      items: [
        { title: "look", status: "pending" },
        { title: "act", status: "pending" },
      ],
    },
    expect.objectContaining({ ...tool, name: "write", title: "notes/hello.txt", output: expect.any(String) }),
    expect.objectContaining({
      ...tool,
      name: "bash",
      title: "cat notes/hello.txt",
      input: expect.objectContaining({ command: "cat notes/hello.txt" }),
      output: expect.stringContaining("hello from a turn"),
    }),
    { type: "text", content: "All done." },
  ]);
});

test("a failed command is shown as failed, and the turn continues", async () => {
  const job = await owner.run(session, { bash: "echo oops >&2; exit 3" }, { say: "It failed." });
  expect(job.status).toBe("completed");
  const [command, text] = await owner.listBlocks(session, job.id);
  expect(command).toEqual(
    expect.objectContaining({ type: "tool", status: "failed", output: expect.stringContaining("oops") }),
  );
  expect(text).toEqual({ type: "text", content: "It failed." });
});

test("a tool's output is stored up to 32 KiB with a note about the rest", async () => {
  const job = await owner.run(session, { bash: "printf 'start%040000dend' 0" }, { say: "Long." });
  const [block] = await owner.listBlocks(session, job.id);
  const output = String(block?.output);
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(32 * 1_024);
  expect(output).toMatch(/^start0+/);
  expect(output).toMatch(/end\s*$/);
  expect(output).toMatch(/left out/);
});

test("a tool that the agent does not have is refused to the model, and the turn continues", async () => {
  const job = await owner.run(session, { tool: { name: "open_the_pod_bay_doors", input: {} } }, { say: "I cannot." });
  expect(job.status).toBe("completed");
  expect((await owner.listBlocks(session, job.id)).at(-1)).toEqual({ type: "text", content: "I cannot." });
});

test("a message without a script is answered with a note that the model is practice", async () => {
  const sent = await owner.send(session, "What is in this repository?");
  const { status } = await owner.jobUntil(session, sent.body.data.chatJobId);
  expect(status).toBe("completed");
  const blocks = await owner.listBlocks(session, sent.body.data.chatJobId);
  expect(blocks.map(({ type }) => type)).toEqual(["tool", "text"]);
  expect(blocks.at(-1)?.content).toMatch(/practice/);
});

test("the conversation is complete, oldest first, each message with its author and its job", async () => {
  const content = `${script({ say: "From the member." })}\n\n"quotes" \\ 🚋`;
  const sent = await member.send(session, content);
  await member.jobUntil(session, sent.body.data.chatJobId);
  const messages = await owner.messages(session);
  const times = messages.map(({ createdAt }: { createdAt: string }) => createdAt);
  expect(times).toEqual([...times].sort());
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(
    messages.map((_: unknown, place: number) => (place % 2 === 0 ? "user" : "assistant")),
  );
  const [question, answer] = messages.slice(-2);
  expect(question).toEqual({
    id: uuid,
    role: "user",
    content,
    blocks: [],
    jobId: sent.body.data.chatJobId,
    delivery: "job",
    author: { userId: world.users.member.id, name: "Mia Member", email: "member@example.com", imageUrl: null },
    attachments: [],
    createdAt: timestamp,
  });
  expect(answer).toEqual({
    id: uuid,
    role: "assistant",
    content: null,
    blocks: [{ type: "text", content: "From the member." }],
    jobId: sent.body.data.chatJobId,
    delivery: null,
    author: null,
    attachments: [],
    createdAt: timestamp,
  });
});

test("a message of another member does not change the Assignee", async () => {
  const { assignee } = (await owner.get(session)).body.data.session;
  expect(assignee.userId).toBe(world.users.owner.id);
});

test("jobs are listed newest first, in pages", async () => {
  const { data: jobs, meta } = (await owner.get(`${session}/jobs/chat`)).body;
  const numbers = jobs.map(({ jobNumber }: { jobNumber: number }) => jobNumber);
  const total = jobs.length;
  expect(numbers).toEqual(Array.from({ length: total }, (_, place) => total - place));
  expect(meta).toEqual({ pagination: { page: 1, totalPages: 1, pageSize: 25, total, hasMore: false } });
  const pages = await Promise.all(
    [1, 2, 3, 99].map(async (page) => (await owner.get(`${session}/jobs/chat?page=${page}&pageSize=3`)).body),
  );
  expect(pages.map((page) => page.data)).toEqual([jobs.slice(0, 3), jobs.slice(3, 6), jobs.slice(6, 9), []]);
  const totalPages = Math.ceil(total / 3);
  expect(pages[0].meta.pagination).toEqual({ page: 1, totalPages, pageSize: 3, total, hasMore: true });
  expect(pages[3].meta.pagination).toEqual({ page: 99, totalPages, pageSize: 3, total, hasMore: false });
});

test("the same message sent as multipart/form-data starts a turn too", async () => {
  const form = new FormData();
  form.set("content", script({ say: "From a form." }));
  const response = await fetch(`${world.baseUrl}${session}/jobs/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.users.owner.apiKey}` },
    body: form,
  });
  expect(response.status).toBe(201);
  const { data } = (await response.json()) as { data: { delivery: string; chatJobId: string } };
  expect(data.delivery).toBe("job");
  await owner.jobUntil(session, data.chatJobId);
  expect(await owner.listBlocks(session, data.chatJobId)).toEqual([{ type: "text", content: "From a form." }]);
});

test("an empty multipart message returns 400 BAD_REQUEST", async () => {
  for (const content of ["", " \n", undefined]) {
    const form = new FormData();
    form.set("attachmentCount", "0");
    if (content !== undefined) form.set("content", content);
    const response = await fetch(`${world.baseUrl}${session}/jobs/chat`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.users.owner.apiKey}` },
      body: form,
    });
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code: "BAD_REQUEST" })]);
  }
});
