// Changes of a session's status: which exist, what each one causes, and what stays unchanged when
// one is refused.
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { clientWith, createClient, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { listProcesses, readCommand } from "../support/process-tree.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const { storedKeys } = createInside(world);
const never = script({ sleep: 600_000 }, { say: "never" });
const record = async (path: string) => (await owner.get(path)).body.data.session;
const move = (path: string, status: string) => owner.put(path, { status });

const statuses = ["backlog", "active", "under-review", "completed", "archived"] as const;
type Status = (typeof statuses)[number];

/** A session in a status, without a turn so far. */
async function inStatus(status: Status): Promise<string> {
  if (status === "backlog") return (await owner.createSession({ title: "Moves", status, prompt: "Later." })).path;
  const { path } = await owner.createSession({ title: "Moves" });
  if (status !== "active") await move(path, status);
  return path;
}
/** A session whose turn runs. */
async function working(content = never) {
  const session = await owner.createSession({ title: "Moves", content });
  await owner.jobUntil(session.path, session.jobId, ["running"]);
  return session;
}

test.each(["completed", "archived"])("%s with ifClean is refused while work would be lost", async (status) => {
  const { path } = await owner.createSession({ title: "Unsaved" });
  await owner.run(path, { bash: "echo one > note.txt" }, { say: "Written." });
  const end = async () => await owner.put(path, { status, ifClean: true });
  const refused = { code: "CONFLICT", details: { files: ["note.txt"], commits: [] } };
  expect((await end()).body).toMatchObject(refused);
  expect((await record(path)).status).toBe("active");
  const { sha } = (await owner.post(`${path}/preview/git/commit`, { message: "A note" })).body.data;
  expect((await end()).body.details).toEqual({ files: [], commits: [{ sha, message: "A note" }] });
  expect((await owner.post(`${path}/preview/git/push`)).status).toBe(200);
  expect((await end()).status).toBe(200);
  expect((await record(path)).status).toBe(status);
});

describe("by PUT", () => {
  const there: Record<Status, readonly Status[]> = {
    backlog: ["backlog", "archived"],
    active: ["active", "under-review", "completed", "archived"],
    "under-review": ["active", "under-review", "completed", "archived"],
    completed: ["completed"],
    archived: ["archived"],
  };
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))("%s → %s", async (from, to) => {
    const path = await inStatus(from);
    const before = await record(path);
    const { status, body } = await owner.put(path, { status: to, title: "Moved along" });
    if (!there[from].includes(to)) {
      expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
      return expect(await record(path)).toEqual(before);
    }
    expect([status, body.data.session.status]).toEqual([200, to]);
    const after = await record(path);
    expect(after).toEqual(body.data.session);
    const isEnd = to !== from && (to === "completed" || to === "archived");
    expect(after).toEqual({
      ...before,
      status: to,
      title: "Moved along",
      updatedAt: after.updatedAt,
      endedAt: isEnd ? after.updatedAt : before.endedAt,
      queue: to === "under-review" && from !== to ? { count: 0, paused: expect.anything() } : after.queue,
    });
  });

  test("to the current status changes nothing, not even the last change time", async () => {
    for (const status of statuses) {
      const path = await inStatus(status);
      const before = await record(path);
      expect((await move(path, status)).body.data.session).toEqual(before);
      expect(await record(path)).toEqual(before);
    }
  });

  test.each(["done", "", "Active", null, 5])("an unknown status is refused: %j", async (status) => {
    const path = await inStatus("active");
    const refused = await owner.put(path, { status });
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_ERROR"]);
  });
});

describe("Under Review", () => {
  test("pauses the queue; the running turn continues and messages keep waiting", async () => {
    const gate = await closedGate();
    const { path, jobId } = await working(script({ bash: gate.command }, { say: "Finished." }));
    await owner.send(path, "Waits.");
    await move(path, "under-review");
    const paused = { reason: "under_review", pausedAt: expect.any(String) };
    expect((await record(path)).queue).toEqual({ count: 1, paused });
    gate.open();
    expect((await owner.jobUntil(path, jobId)).status).toBe("completed");
    expect((await record(path)).queue).toEqual({ count: 1, paused });
    expect((await record(path)).needsYouReason).toBe("queue_paused");
    // After PUT active it is still paused until a user resumes it.
    await move(path, "active");
    expect((await record(path)).queue).toEqual({ count: 1, paused });
    expect((await owner.post(`${path}/queue/resume`)).status).toBe(204);
    await until("what waited to run", async () => (await record(path)).latestChatJob.jobNumber === 2);
  });

  test("a member's message makes it Active and starts a turn, which resumes the queue", async () => {
    const gate = await closedGate();
    const { path, jobId } = await working(script({ bash: gate.command }, { say: "Finished." }));
    await owner.send(path, script({ say: "Waited." }));
    await move(path, "under-review");
    gate.open();
    await owner.jobUntil(path, jobId);
    const sent = await member.send(path, script({ say: "Resumed." }));
    expect(sent.body.data).toMatchObject({ delivery: "job", jobNumber: 2 });
    expect(await record(path)).toMatchObject({ status: "active", queue: { paused: null } });
    const done = await until("Up next to be sent", async () => {
      const now = await record(path);
      return now.latestChatJob.jobNumber === 3 && now.latestChatJob.status === "completed" && now;
    });
    expect(done.queue).toEqual({ count: 0, paused: null });
  });

  test("a member's message during its turn makes it Active, and is queued", async () => {
    const { path, jobId } = await working();
    await move(path, "under-review");
    expect((await member.send(path, "Also this.")).body.data.delivery).toBe("queued");
    expect((await record(path)).status).toBe("active");
    await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
  });

  test("a queued message that its author sends makes it Active too", async () => {
    const { path, jobId } = await working();
    const { queuedMessageId } = (await owner.send(path, script({ say: "Sent." }))).body.data;
    await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
    await owner.jobUntil(path, jobId);
    await move(path, "under-review");
    const sent = await owner.post(`${path}/queue/${queuedMessageId}/send`);
    expect([sent.status, sent.body.data.delivery]).toEqual([200, "job"]);
    expect((await record(path)).status).toBe("active");
  });

  test("a relay's message does not change it; after PUT active it is delivered", async () => {
    const relayKeys = `/api/organizations/${world.workspaceId}/relay-keys`;
    const relay = clientWith(world, (await owner.post(relayKeys, { name: "Moves" })).body.data.key);
    const path = await inStatus("under-review");
    const refused = await relay.send(path, "Hello?");
    expect([refused.status, refused.body.code]).toEqual([400, "SESSION_UNDER_REVIEW"]);
    expect((await record(path)).status).toBe("under-review");
    await move(path, "active");
    const sent = await relay.send(path, script({ say: "Hello." }));
    expect(sent.body.data.delivery).toBe("job");
    await owner.jobUntil(path, sent.body.data.chatJobId);
    expect((await owner.messages(path))[0].author).toEqual({ kind: "relay" });
  });
});

describe("an end", () => {
  test.each(["completed", "archived"])("%s stops the running turn first and releases the sandbox", async (status) => {
    const { id, path, jobId } = await working(script({ bash: "sleep 61" }, { say: "never" }));
    const folder = `${world.stateDir}/sandboxes/${await owner.getSandboxKey(id)}`;
    const sleeps = () => listProcesses(folder).some((process) => readCommand(process) === "sleep 61");
    await until("the command to run", sleeps);
    await owner.send(path, "Waits for ever.");
    const ended = await move(path, status);
    expect(ended.body.data.session).toMatchObject({
      status,
      endedAt: expect.any(String),
      latestChatJob: { id: jobId, status: "cancelled" },
      queue: { count: 1 },
      needsYouReason: null,
    });
    expect(sleeps()).toBe(false);
    await until("the sandbox to be gone", () => listProcesses(folder).length === 0);
    const preview = await owner.get(`/api/projects/${world.projectId}/preview?sessionId=${id}`);
    expect(preview.body.data.frontendUrls).toEqual({});
    const health = await owner.get(`/api/projects/${world.projectId}/preview/health?sessionId=${id}`);
    expect([health.status, health.body.code]).toEqual([404, "NOT_FOUND"]);
    expect(await owner.messages(path)).toHaveLength(2);
  });
});

describe("a deletion", () => {
  let deleted: Awaited<ReturnType<typeof working>> & { folder: string; slug: string };
  beforeAll(async () => {
    const session = await working(script({ write: { path: "a.txt", content: "a" } }, { bash: "sleep 62" }));
    const folder = `${world.stateDir}/sandboxes/${await owner.getSandboxKey(session.id)}`;
    const form = new FormData();
    for (const [name, value] of [
      ["content", "Waits."],
      ["attachmentCount", "1"],
    ] as const)
      form.set(name, value);
    form.set("attachment_0", new File(["kept"], "kept.txt"));
    const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
    await fetch(`${world.baseUrl}${session.path}/jobs/chat`, { method: "POST", headers, body: form });
    expect(await storedKeys(`sessions/${session.id}/`)).toHaveLength(1);
    const share = await owner.post(`/api/projects/${world.projectId}/preview/share?sessionId=${session.id}`, {});
    deleted = { ...session, folder, slug: share.body.data.share.slug };
    expect((await owner.get(`/api/shared-previews/${deleted.slug}`)).status).toBe(200);
    expect((await owner.delete(session.path)).status).toBe(204);
  });

  test("makes the session and its messages not found", async () => {
    const { id, path, jobId, slug } = deleted;
    const preview = `/api/projects/${world.projectId}/preview`;
    const gone = [
      await owner.get(path),
      await owner.get(`${path}/messages`),
      await owner.get(`${path}/jobs/chat`),
      await owner.get(`${path}/jobs/chat/${jobId}`),
      await owner.get(`${path}/queue`),
      await owner.send(path, "Hello?"),
      await owner.put(path, { title: "Back" }),
      await owner.post(`${path}/activate`),
      await owner.get(`${preview}?sessionId=${id}`),
      await owner.get(`${preview}/health?sessionId=${id}`),
      await owner.get(`/api/shared-previews/${slug}`),
      await owner.delete(path),
    ];
    expect(gone.map(({ status, body }) => `${status} ${body.code}`)).toEqual(gone.map(() => "404 NOT_FOUND"));
  });

  test("deletes it from lists, its processes from the machine and its files from storage", async () => {
    const { body } = await owner.get(`${owner.sessions}?pageSize=100`);
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(deleted.id);
    await until("its processes to be gone", () => listProcesses(deleted.folder).length === 0);
    await until("its files to be gone", async () => (await storedKeys(`sessions/${deleted.id}/`)).length === 0);
    const { sql } = createInside(world);
    await until("its slot to be free", async () => {
      return (await sql("SELECT 1 FROM sandbox_slots WHERE owner_id = ?", deleted.id)).length === 0;
    });
  });

  test("of a session in any status returns 204", async () => {
    for (const status of statuses) expect((await owner.delete(await inStatus(status))).status).toBe(204);
  });
});
