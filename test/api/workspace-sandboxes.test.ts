// The sandboxes of a workspace: which run, how they are stopped to make room, and the plan's limit
// for every way to start one more.
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { runSmokeTest } from "../../operate/lib/smoke-test.ts";
import { previewWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { addGatedProject } from "../support/held-sandbox.ts";
import { exchange } from "../support/http-exchange.ts";
import { freeSlots, heldSlots } from "../support/session-slots.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = previewWorld();
const owner = createClient(world);
const { sql } = createInside(world);
const workspace = `/api/organizations/${world.workspaceId}`;
const never = script({ sleep: 600_000 }, { say: "never" });

const limit = async () => (await owner.get(`${workspace}/sandbox-limit`)).body.data;
const stop = (sessionIds: unknown) => owner.post(`${workspace}/stop-sandboxes`, { sessionIds });
const stopped = async (...sessionIds: string[]) => (await stop(sessionIds)).body.data.sessions;
const health = async (id: string) =>
  (await owner.get(`/api/projects/${world.projectId}/preview/health?sessionId=${id}`)).body.data;
const readBranch = async (path: string) => (await owner.get(path)).body.data.session.branch;

/** An idle session whose sandbox runs, with an uncommitted file in it. */
async function running(title: string) {
  const session = await owner.createSession({ title });
  expect((await owner.run(session.path, { write: { path: "kept.txt", content: "Kept.\n" } })).status).toBe("completed");
  return session;
}

describe("the sandbox limit", () => {
  test("returns the plan's limit and the sessions with running sandboxes", async () => {
    const { id, path } = await running("Runs");
    const asleep = await owner.createSession({ title: "Never ran" });
    const { maxConcurrentSandboxes, runningSessions } = await limit();
    expect(maxConcurrentSandboxes).toBe(20);
    const [project] = await sql("SELECT name FROM projects WHERE id = ?", world.projectId);
    expect(runningSessions).toContainEqual({
      sessionId: id,
      title: "Runs",
      projectName: project?.name,
      branch: await readBranch(path),
    });
    expect(runningSessions.map(({ sessionId }: { sessionId: string }) => sessionId)).not.toContain(asleep.id);
  });

  test("excludes a claimed slot, and includes a starting one", async () => {
    const { id } = await owner.createSession({ title: "Claimed" });
    const listed = async () =>
      (await limit()).runningSessions.some((one: { sessionId: string }) => one.sessionId === id);
    const key = `s${randomUUID().replaceAll("-", "").slice(0, 16)}`;
    await sql(
      "INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_id, state, claimed_at) VALUES (?, ?, ?, 'claimed', ?)",
      key,
      world.workspaceId,
      id,
      Date.now(),
    );
    try {
      expect(await listed()).toBe(false);
      await sql("UPDATE sandbox_slots SET state = 'starting' WHERE sandbox_key = ?", key);
      expect(await listed()).toBe(true);
    } finally {
      await sql("DELETE FROM sandbox_slots WHERE sandbox_key = ?", key);
    }
  });

  test("is null on a plan without a limit", async () => {
    const setPlan = (plan: string) => sql("UPDATE workspaces SET plan = ? WHERE id = ?", plan, world.workspaceId);
    await setPlan("enterprise");
    try {
      expect((await limit()).maxConcurrentSandboxes).toBe(null);
    } finally {
      await setPlan("team");
    }
  });
});

describe("stop-sandboxes", () => {
  test("pauses a sandbox and releases its slot; its work is there after the next wake", async () => {
    const { id, path } = await running("Stopped");
    expect(await stopped(id)).toEqual([{ sessionId: id, stopped: true }]);
    expect(await sql("SELECT state FROM sandbox_slots WHERE owner_id = ?", id)).toEqual([]);
    expect((await limit()).runningSessions).not.toContainEqual(expect.objectContaining({ sessionId: id }));
    expect(await health(id)).toMatchObject({ paused: true, needsStart: true, sandboxAvailable: false });
    // Nothing is running now.
    expect(await stopped(id)).toEqual([{ sessionId: id, stopped: false }]);

    await owner.get(`/api/projects/${world.projectId}/preview?sessionId=${id}`);
    await until("the sandbox to be back", async () => (await health(id)).sandboxAvailable);
    const read = await owner.get(`${path}/preview/files/content?path=kept.txt`);
    expect(read.body.data.content).toBe("Kept.\n");
  });

  test("stops a running turn first: its job is cancelled, its files are kept, the queue pauses", async () => {
    const { id, path } = await owner.createSession({ title: "At work" });
    const sent = await owner.send(
      path,
      script({ write: { path: "half.txt", content: "Half.\n" } }, { sleep: 600_000 }, { say: "never" }),
    );
    const jobId = sent.body.data.chatJobId;
    await until("the file to be written", async () => {
      const read = await owner.get(`${path}/preview/files/content?path=half.txt`);
      return read.status === 200;
    });
    const queued = (await owner.send(path, "Waits.")).body.data.queuedMessageId;
    expect(await stopped(id)).toEqual([{ sessionId: id, stopped: true }]);
    expect((await owner.jobUntil(path, jobId)).status).toBe("cancelled");
    expect(await owner.upNext(path)).toMatchObject({ messages: [{ id: queued }], paused: { reason: "cancelled" } });
    expect(await health(id)).toMatchObject({ paused: true });
    expect((await owner.run(path, { bash: "cat half.txt" })).status).toBe("completed");
    await owner.delete(path);
  });

  test("stops a starting sandbox: its turn is cancelled, its slot is free, and it can start again", async () => {
    const { projectId, open } = await addGatedProject(world);
    const here = createClient({ ...world, projectId });
    const { id, path, jobId } = await here.createSession({ content: script({ say: "Hello." }) });
    const slot = () => sql("SELECT state FROM sandbox_slots WHERE owner_id = ?", id);
    await until("it to start", async () => (await slot())[0]?.state === "starting");
    expect(await stopped(id)).toEqual([{ sessionId: id, stopped: true }]);
    expect([(await here.jobUntil(path, jobId)).status, await slot()]).toEqual(["cancelled", []]);
    open();
    expect((await here.run(path, { say: "Up." })).status).toBe("completed");
    await here.delete(path);
  });

  test("returns a result for each session once, in the requested order: unknown and stopped ones are not stopped", async () => {
    const outsider = createClient({ ...world, projectId: world.outsideProjectId }, "outsider");
    const theirs = await outsider.createSession({ title: "Theirs" });
    expect((await outsider.run(theirs.path, { say: "Hello." })).status).toBe("completed");
    const [mine, idle, unknown] = [await running("Mine"), await owner.createSession({ title: "Idle" }), randomUUID()];
    expect(await stopped(theirs.id, mine.id, unknown, mine.id, idle.id, "no id", theirs.id)).toEqual([
      { sessionId: theirs.id, stopped: false },
      { sessionId: mine.id, stopped: true },
      { sessionId: unknown, stopped: false },
      { sessionId: idle.id, stopped: false },
      { sessionId: "no id", stopped: false },
    ]);
    expect(await sql("SELECT state FROM sandbox_slots WHERE owner_id = ?", theirs.id)).toEqual([{ state: "running" }]);
    await outsider.delete(theirs.path);
  });

  test("accepts zero to fifty sessions, and no other format", async () => {
    const ids = Array.from({ length: 51 }, () => randomUUID());
    expect((await stop(ids.slice(1))).body.data.sessions).toHaveLength(50);
    expect((await stop([])).body.data).toEqual({ sessions: [] });
    for (const wrong of [ids, "all", null, undefined, [1], { id: ids[0] }]) {
      const { status, body } = await stop(wrong);
      expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
    }
  });
});

test("the smoke test of an operator does all that a team does on its first day, and names the step that fails", async () => {
  const said: string[] = [];
  const open = async (url: string) => {
    const { host, pathname, search } = new URL(url);
    return (await exchange(world.baseUrl, { path: pathname + search, headers: { host } })).status;
  };
  const tried = {
    baseUrl: world.baseUrl,
    key: world.users.owner.apiKey,
    say: (line: string) => void said.push(line),
    open,
  };
  await runSmokeTest({ ...tried, projectId: world.projectId });
  expect(said.length).toBe(7);
  expect(said.every((line) => line.startsWith("  ok: "))).toBe(true);
  await expect(runSmokeTest({ ...tried, projectId: randomUUID() })).rejects.toThrow(
    "WRONG: the project is found. GET /api/projects/",
  );
});

// The last of this file: what starts after it waits for the deletion of a hundred sandboxes.
describe("a hundred concurrent wakes in a workspace with a limit of three", () => {
  const projectId = world.outsideProjectId;
  const outsider = createClient({ ...world, projectId }, "outsider");
  let workspaceId: string;
  const ofOutsider: { id: string; path: string }[] = [];
  afterAll(async () => {
    await Promise.all(ofOutsider.map(({ path }) => outsider.delete(path)));
  });
  const held = async () => (await heldSlots(world, workspaceId)).length;

  test("never hold more than three slots, are refused in the format of their route, and release every slot", async () => {
    workspaceId = await freeSlots(world, outsider, projectId);
    const sessions = [];
    for (let count = 0; count < 100; count++) sessions.push(await outsider.createSession({ title: `Rush ${count}` }));
    ofOutsider.push(...sessions);
    const most: number[] = [];
    let isOver = false;
    const watch = (async () => {
      while (!isOver) most.push(await held());
    })();
    const answers = await Promise.all(
      sessions.map(({ id, path }, place) =>
        place % 2 === 0
          ? outsider.send(path, never)
          : outsider.get(`/api/projects/${projectId}/preview?sessionId=${id}`),
      ),
    );
    const told = answers.map(({ status, body }) => {
      if (body.code) return `${status} ${body.code}`;
      if (body.data.delivery) return `${status} ${body.data.delivery}`;
      const { sandboxLimitReached, frontendUrls } = body.data;
      return sandboxLimitReached ? `${status} limit ${Object.keys(frontendUrls).length}` : `${status} preview`;
    });
    const isGranted = (one: string) => one === "201 job" || one === "200 preview";
    expect(told.filter(isGranted)).toHaveLength(3);
    const refused = told.filter((one) => !isGranted(one));
    expect(new Set(refused)).toEqual(new Set(["409 SANDBOX_LIMIT_REACHED", "200 limit 0"]));
    expect(refused).toHaveLength(97);

    const listed = (await outsider.get(`/api/organizations/${workspaceId}/sandbox-limit`)).body.data;
    expect(listed.maxConcurrentSandboxes).toBe(3);
    const sessionIds = await until("all three to run", async () => {
      const { runningSessions } = (await outsider.get(`/api/organizations/${workspaceId}/sandbox-limit`)).body.data;
      return runningSessions.length === 3 && runningSessions.map((one: { sessionId: string }) => one.sessionId);
    });
    const { body } = await outsider.post(`/api/organizations/${workspaceId}/stop-sandboxes`, { sessionIds });
    expect(body.data.sessions.map((one: { stopped: boolean }) => one.stopped)).toEqual([true, true, true]);
    expect(await held()).toBe(0);

    const others = sessions.filter(({ id }) => !sessionIds.includes(id)).slice(0, 4);
    const again = await Promise.all(others.map(({ path }) => outsider.send(path, never)));
    expect(again.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409]);
    isOver = true;
    await watch;
    expect(Math.max(...most)).toBe(3);
  });
});
