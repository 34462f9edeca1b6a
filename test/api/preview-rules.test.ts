// The numbered rules of previews (Part 1, "Preview rules") as a client sees them: flags before
// addresses, the meaning of empty, the next step.
import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { type Client, createClient } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { addProject } from "../support/held-sandbox.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = previewWorld();
const owner = createClient(world);
const { sql } = createInside(world);
const plain = ["awayHoldMs", "frontendUrls", "projectId", "sandboxKey"];

const createPreview = (client: Client, projectId: string, id?: string) => {
  const path = (route: string) => `/api/projects/${projectId}/preview${route}${id ? `?sessionId=${id}` : ""}`;
  return {
    read: async () => {
      const { status, body } = await client.get(path(""));
      expect(status).toBe(200);
      return body.data;
    },
    health: async () => (await client.get(path("/health"))).body.data,
    readCode: async (route: string) => {
      const { status, body } = await client.get(path(route));
      return `${status} ${body.code}`;
    },
    reset: (body: unknown = { sessionId: id }) => client.post(`/api/projects/${projectId}/preview/reset`, body),
  };
};

const projectId = world.outsideProjectId;
const outsider = createClient({ ...world, projectId }, "outsider");
const workspaceId = async () => (await sql("SELECT workspace_id AS id FROM projects WHERE id = ?", projectId))[0]?.id;
const hasSlot = async (id: string) => (await sql("SELECT 1 FROM sandbox_slots WHERE owner_id = ?", id)).length > 0;
const stop = async (...sessionIds: string[]) =>
  await outsider.post(`/api/organizations/${await workspaceId()}/stop-sandboxes`, { sessionIds });

/** A session of the outsider's workspace whose sandbox runs. */
async function running(title: string) {
  const session = await outsider.createSession({ title });
  opened.push(session.path);
  const preview = createPreview(outsider, projectId, session.id);
  await preview.read();
  await until("its services", async () => (await preview.health()).state === "healthy");
  return { ...session, ...preview };
}
const opened: string[] = [];
afterEach(async () => {
  for (const path of opened.splice(0)) await outsider.delete(path);
});

describe("1. the flags precede the URLs", () => {
  const setRunningMs = async (ms: number) => {
    const month = new Date().toISOString().slice(0, 7);
    const insert = "INSERT OR REPLACE INTO running_time (workspace_id, month, ms) VALUES (?, ?, ?)";
    await sql(insert, await workspaceId(), month, ms);
  };

  test("creditLimitReached: a workspace that is blocked on billing wakes no session or main preview", async () => {
    const [up, asleep] = [await running("Runs"), await running("Asleep")];
    await stop(asleep.id);
    const backlog = await outsider.createSession({ status: "backlog", prompt: "Later." });
    opened.push(backlog.path);
    await setRunningMs(51 * 3_600_000);
    try {
      const main = createPreview(outsider, projectId);
      const waiting = createPreview(outsider, projectId, backlog.id);
      for (const { read } of [up, asleep, main, waiting]) {
        const told = await read();
        expect([told.frontendUrls, told.creditLimitReached]).toEqual([{}, true]);
        expect(Object.keys(told).sort()).toEqual([...plain, "creditLimitReached"].sort());
      }
      expect(await up.health()).toMatchObject({
        state: "healthy",
        frontendUrls: {},
        creditLimitReached: true,
        sandboxAvailable: true,
      });
      expect(await asleep.health()).toMatchObject({ paused: true, creditLimitReached: true });
      expect(await main.health()).toMatchObject({ needsStart: true, creditLimitReached: true });
      expect(await hasSlot(asleep.id)).toBe(false);
    } finally {
      await setRunningMs(0);
    }
    expect(Object.keys((await up.read()).frontendUrls)).toEqual(["web"]);
    expect(await up.health()).not.toHaveProperty("creditLimitReached");
  });

  test("sandboxLimitReached: a workspace at its limit wakes and creates no sandbox, and running ones continue", async () => {
    const asleep = await running("Asleep");
    await stop(asleep.id);
    const up = [await running("One"), await running("Two"), await running("Three")];
    const fresh = await outsider.createSession({ title: "Fresh" });
    opened.push(fresh.path);
    for (const preview of [asleep, createPreview(outsider, projectId, fresh.id)]) {
      const told = await preview.read();
      expect(told).toMatchObject({ frontendUrls: {}, sandboxLimitReached: true });
      expect(told).not.toHaveProperty("provisioning");
      expect(await preview.health()).toMatchObject({ needsStart: true, sandboxLimitReached: true });
    }
    for (const { read, health } of up) {
      expect(Object.keys(await read()).sort()).toEqual(plain);
      expect(await health()).not.toHaveProperty("sandboxLimitReached");
    }
    const main = createPreview(outsider, projectId);
    expect(await main.read()).not.toHaveProperty("sandboxLimitReached");
    expect(await main.health()).not.toHaveProperty("sandboxLimitReached");

    await stop(up[0]?.id ?? "");
    expect(await asleep.health()).not.toHaveProperty("sandboxLimitReached");
    expect(await asleep.read()).toMatchObject({ frontendUrls: {}, provisioning: true });
  });
});

describe("2. empty without a flag", () => {
  const outside: [string, Record<string, unknown>, string | null][] = [
    ["Backlog", { status: "backlog", prompt: "Later." }, null],
    ["Completed", { title: "Done" }, "completed"],
    ["Archived", { title: "Done" }, "archived"],
  ];
  test.each(outside)("a session that is %s; 6. its health answers 404, its reset 400", async (_, body, status) => {
    const { id, path } = await owner.createSession(body);
    if (status) await owner.put(path, { status });
    const preview = createPreview(owner, world.projectId, id);
    const told = await preview.read();
    expect(Object.keys(told).sort()).toEqual(plain);
    expect(told.frontendUrls).toEqual({});
    expect(await preview.readCode("/health")).toBe("404 NOT_FOUND");
    const refused = await preview.reset();
    expect([refused.status, refused.body.code]).toEqual([400, "BAD_REQUEST"]);
  });

  test.each([
    ["is not live", { isLive: 0, holdsSessionsUp: 0 }, "400 BAD_REQUEST"],
    ["a member deploys", { isLive: 1, holdsSessionsUp: 1 }, "400 BAD_REQUEST"],
    ["is live", { isLive: 1, holdsSessionsUp: 0 }, "200 undefined"],
  ])("a session of a project that %s", async (_, { isLive, holdsSessionsUp }, expected) => {
    const here = await addProject(world);
    const client = createClient({ ...world, projectId: here });
    const { id, path } = await client.createSession({ title: "Early" });
    const set = "UPDATE projects SET is_live = ?, holds_sessions_up = ? WHERE id = ?";
    await sql(set, isLive, holdsSessionsUp, here);
    expect(await createPreview(owner, here, id).readCode("")).toBe(expected);
    // A Deploy creates the main preview: during it, the preview is empty.
    expect((await createPreview(owner, here).read()).frontendUrls).toEqual({});
    await client.delete(path);
  });

  test("a project without a service that serves a preview", async () => {
    const here = await addProject(world);
    await sql(
      "UPDATE projects SET settings = json_set(settings, '$.services[0].endpoints[0].public', json('false')) WHERE id = ?",
      here,
    );
    const client = createClient({ ...world, projectId: here });
    const { id, path } = await client.createSession({ title: "No frontends" });
    const { read, health } = createPreview(owner, here, id);
    expect((await health()).services).toEqual([]);
    await until("its sandbox", async () => (await health()).sandboxAvailable || (await read()).provisioning);
    await until("its services", async () => (await health()).state === "healthy");
    expect(Object.keys(await read()).sort()).toEqual(plain);
    expect((await read()).frontendUrls).toEqual({});
    expect((await health()).services).toEqual([
      { name: "agent", httpResult: "healthy" },
      { name: "web", httpResult: "healthy" },
    ]);
    await client.delete(path);
  });
});

test("3. provisioning: a paused sandbox wakes after the response, and health reports when it runs", async () => {
  const { id, read, health } = await running("Comes back");
  await stop(id);
  expect(await health()).toMatchObject({ paused: true, needsStart: true, state: "starting", frontendUrls: {} });
  expect(await health()).not.toHaveProperty("sandboxId");
  const told = await read();
  expect(told).toMatchObject({ provisioning: true, frontendUrls: {} });
  const states = new Set<string>();
  await until("it to be there", async () => {
    const { state, indeterminate, paused, needsStart } = await health();
    states.add(`${paused} ${needsStart}`);
    return !indeterminate && state === "healthy";
  });
  // While it wakes, it is never reported as one that has to be requested again.
  expect(states).toEqual(new Set(["false false"]));
  expect(Object.keys((await read()).frontendUrls)).toEqual(["web"]);
});

describe("a reset", () => {
  test("restarts the services with the same files, branch and sandbox; health reports when it is done", async () => {
    const here = await addProject(world);
    const gate = await closedGate();
    await sql(
      `UPDATE projects SET settings = json_set(settings, '$.services[0].command',
        'echo start >> starts.txt; trap "" TERM; ' || (settings ->> '$.services[0].command') || ?) WHERE id = ?`,
      `; bash -c "${gate.command}"`,
      here,
    );
    const client = createClient({ ...world, projectId: here });
    const { id, path } = await client.createSession({ title: "Reset" });
    const { read, health, reset } = createPreview(client, here, id);
    const readPreviewFile = async (name: string) =>
      (await client.get(`${path}/preview/files/content?path=${name}`)).body.data.content;
    await read();
    await until("its services", async () => (await health()).state === "healthy");
    expect(await readPreviewFile("starts.txt")).toBe("start\n");
    const [{ sandboxId }, { sandboxKey }] = [await health(), await read()];

    const answers = await Promise.all([reset(), reset(), reset()]);
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([200, { data: { status: "queued", projectId: here, sandboxKey } }]);
    }
    expect((await health()).state).toBe("starting");
    expect(await read()).toMatchObject({ provisioning: true, frontendUrls: { web: expect.any(String) } });
    gate.open();
    await until("its services to be back", async () => (await health()).state === "healthy");
    expect(await read()).not.toHaveProperty("provisioning");
    expect(await readPreviewFile("starts.txt")).toBe("start\nstart\n");
    expect((await health()).sandboxId).toBe(sandboxId);
    await client.delete(path);
  });

  test("needs a sandbox that was woken", async () => {
    const { id } = await owner.createSession({ title: "Asleep" });
    for (const reset of [
      createPreview(owner, world.projectId, id).reset(),
      createPreview(owner, world.projectId).reset({}),
    ]) {
      const { status, body } = await reset;
      expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
      expect(body.error).toContain("Request the preview to wake it");
    }
  });

  test("takes its session from the query too, if the body names no other", async () => {
    const { id } = await owner.createSession({ title: "Named in the query" });
    const reset = (body?: object) =>
      owner.post(`/api/projects/${world.projectId}/preview/reset?sessionId=${id}`, body as object);
    for (const body of [undefined, {}, { sessionId: id }])
      expect((await reset(body)).body.error).toContain("Request the preview to wake it");
    expect((await reset({ sessionId: randomUUID() })).body.error).toContain("different sessions");
  });

  test("needs a valid body and an existing session", async () => {
    const { reset } = createPreview(owner, world.projectId);
    for (const wrong of ["", "{", [], "x", null, { sessionId: 1 }, { sessionId: null }, { sessionId: [] }]) {
      const { status, body } = await reset(wrong === "x" ? '"x"' : wrong);
      expect([wrong, status, body.code]).toEqual([wrong, 400, "VALIDATION_ERROR"]);
    }
    for (const unknown of [randomUUID(), "none", ""]) {
      expect((await reset({ sessionId: unknown })).status).toBe(404);
    }
  });
});
