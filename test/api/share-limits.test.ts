// A public link to a preview that cannot start: it says so on every request, and starts when there
// is room again.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sign } from "../../src/lib/signing.ts";
import { authTokenCookie } from "../../src/preview/host/address.ts";
import { authTokenLifetimeMs } from "../../src/rules/limits.ts";
import { plans } from "../../src/workspace/rules/billing-plan.ts";
import { previewWorld } from "../support/api-world.ts";
import { type Client, createClient } from "../support/client.ts";
import { addGatedProject, addProject } from "../support/held-sandbox.ts";
import { exchange } from "../support/http-exchange.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";
import { readSigningKeys } from "../support/world-secrets.ts";

const world = previewWorld();
const { sql } = createInside(world);

const view = async (slug: string, query = "") =>
  JSON.parse((await exchange(world.baseUrl, { path: `/api/shared-previews/${slug}${query}` })).text).data;

async function shareSession(client: Client, projectId: string, title: string) {
  const session = await client.createSession({ title });
  const share = `/api/projects/${projectId}/preview/share?sessionId=${session.id}`;
  return { ...session, slug: (await client.post(share)).body.data.share.slug as string };
}

describe("without a free sandbox in the workspace", () => {
  const projectId = world.outsideProjectId;
  const outsider = createClient({ ...world, projectId }, "outsider");
  let workspaceId: unknown;
  let fresh: Awaited<ReturnType<typeof shareSession>>;
  let paused: Awaited<ReturnType<typeof shareSession>>;
  beforeAll(async () => {
    [{ workspaceId }] = (await sql("SELECT workspace_id AS workspaceId FROM projects WHERE id = ?", projectId)) as [
      { workspaceId: unknown },
    ];
    paused = await shareSession(outsider, projectId, "Ran before");
    expect((await outsider.run(paused.path, { say: "Done." })).status).toBe("completed");
    const health = `/api/projects/${projectId}/preview/health?sessionId=${paused.id}`;
    const [sandboxKey] = (await outsider.get(health)).body.data.sandboxId.split("-");
    await until(
      "its work to be saved",
      async () => (await createInside(world).storedKeys(`sandboxes/${sandboxKey}`)).length > 0,
    );
    await exchange(world.sandboxHostUrl, { method: "DELETE", path: `/sandboxes/${sandboxKey}` });
    await until("the service to notice", async () => (await outsider.get(health)).body.data.paused);
    fresh = await shareSession(outsider, projectId, "Never ran");
  });

  const month = new Date().toISOString().slice(0, 7);
  const setRunningMs = (ms: number) =>
    sql("INSERT OR REPLACE INTO running_time (workspace_id, month, ms) VALUES (?, ?, ?)", workspaceId, month, ms);
  const others = Array.from(
    { length: plans.free.maxConcurrentSandboxes ?? 0 },
    () => `s${randomUUID().slice(0, 8)}aaaaaaaa`,
  );
  const wants: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    ["its running time is used up", () => setRunningMs(51 * 3_600_000), () => setRunningMs(0)],
    [
      "it runs as many sandboxes as its plan allows",
      () =>
        Promise.all(
          others.map((key) =>
            sql(
              "INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_id, state, claimed_at) VALUES (?, ?, ?, 'running', ?)",
              key,
              workspaceId,
              randomUUID(),
              Date.now(),
            ),
          ),
        ),
      () => Promise.all(others.map((key) => sql("DELETE FROM sandbox_slots WHERE sandbox_key = ?", key))),
    ],
  ];

  test.each(wants)("a preview cannot start, whether it sleeps or is new: %s", async (_, fill, free) => {
    await fill();
    for (const { slug } of [fresh, paused, fresh, paused]) {
      expect(await view(slug)).toMatchObject({ status: "unavailable", reason: "not_running", frontends: [] });
    }
    const page = await exchange(world.baseUrl, { path: `/shared/${paused.slug}` });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("The preview cannot start now")]);
    await free();
    for (const { slug, id } of [fresh, paused]) {
      await until("the preview", async () => (await view(slug)).status === "ready");
      const health = (await outsider.get(`/api/projects/${projectId}/preview/health?sessionId=${id}`)).body.data;
      await exchange(world.sandboxHostUrl, { method: "DELETE", path: `/sandboxes/${health.sandboxId.split("-")[0]}` });
      await until("the service to notice", async () => (await view(slug, "?wake=false")).status === "unavailable");
    }
  });
});

describe("while a sandbox starts", () => {
  test("the link, its page and the preview's host show it, and the host's page continues by itself", async () => {
    const { projectId, open } = await addGatedProject(world);
    const owner = createClient({ ...world, projectId });
    const { id, slug, path } = await shareSession(owner, projectId, "On its way");
    expect(await view(slug)).toMatchObject({ status: "starting", frontends: [] });
    const page = await exchange(world.baseUrl, { path: `/shared/${slug}` });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("Waking the preview")]);

    const [{ sandboxKey }] = (await sql("SELECT sandbox_key AS sandboxKey FROM sessions WHERE id = ?", id)) as [
      { sandboxKey: string },
    ];
    const opened = { sandboxKey, sessionId: id, ports: { web: 3_000 } };
    const token = await sign(readSigningKeys(world), "auth-token", opened, Date.now() + authTokenLifetimeMs);
    const host = `web--${sandboxKey}.preview.localhost:${new URL(world.baseUrl).port}`;
    const headers = { host, cookie: `${authTokenCookie}=${token}` };
    const there = await exchange(world.baseUrl, { path: "/", headers: { ...headers, accept: "text/html" } });
    expect([there.status, there.headers.refresh]).toEqual([503, "2"]);
    expect(there.text).toContain("Waking the preview");
    const told = await exchange(world.baseUrl, { path: "/", headers });
    expect([told.status, JSON.parse(told.text).code]).toEqual([503, "PREVIEW_STARTING"]);

    open();
    await until("the preview", async () => (await view(slug)).status === "ready");
    await owner.delete(path);
  });
});

test("a preview is ready once one of its endpoints answers, and lists those that do", async () => {
  const projectId = await addProject(world);
  const owner = createClient({ ...world, projectId });
  const endpoints = [
    { port: 3_000, public: true, healthPath: "/health" },
    { port: 3_001, public: true, name: "admin" },
  ];
  const set = "UPDATE projects SET settings = json_set(settings, '$.services[0].endpoints', json(?)) WHERE id = ?";
  await sql(set, JSON.stringify(endpoints), projectId);
  const { slug, path, id } = await shareSession(owner, projectId, "Half of it");
  const { frontends } = await until("the preview", async () => {
    const data = await view(slug);
    return data.status === "ready" && data;
  });
  expect(frontends).toEqual([
    { name: "web", url: expect.any(String), isServing: true },
    { name: "web-admin", url: expect.any(String), isServing: false },
  ]);
  // Health counts a service as ready when all of it is.
  const health = (await owner.get(`/api/projects/${projectId}/preview/health?sessionId=${id}`)).body.data;
  expect(health).toMatchObject({ state: "starting", sandboxAvailable: true });
  await owner.delete(path);
});

test("a project with several frontends shows each of them, and one without a frontend shows a message", async () => {
  const projectId = await addProject(world);
  const owner = createClient({ ...world, projectId });
  const endpoints = [{}, { name: "docs" }].map((named) => ({
    ...named,
    port: 3_000,
    public: true,
    healthPath: "/health",
  }));
  const setEndpoints = (list: unknown[]) =>
    sql(
      "UPDATE projects SET settings = json_set(settings, '$.services[0].endpoints', json(?)) WHERE id = ?",
      JSON.stringify(list),
      projectId,
    );
  await setEndpoints(endpoints);
  const { slug, path } = await shareSession(owner, projectId, "Two of them");
  const { frontends } = await until("the preview", async () => {
    const data = await view(slug);
    return data.status === "ready" && data;
  });
  expect(frontends.map(({ name }: { name: string }) => name)).toEqual(["web", "web-docs"]);
  await setEndpoints([{ port: 3_000, public: false }]);
  const sessionId = path.split("/").at(-1);
  await owner.post(`/api/projects/${projectId}/preview/reset`, { sessionId });
  await until("the reset", async () => (await view(slug)).status === "unavailable");
  expect(await view(slug)).toMatchObject({ status: "unavailable", reason: "no_frontends", frontends: [] });
  await owner.delete(path);
});
