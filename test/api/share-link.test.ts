// The public link of a preview: one for each, open to anybody who has its slug, and not found as
// soon as it is revoked.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { authTokenCookie } from "../../src/preview/host/address.ts";
import { previewWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";
import { until } from "../support/until.ts";

const world = previewWorld();
const owner = createClient(world);
const preview = `/api/projects/${world.projectId}/preview`;
const share = `${preview}/share`;
let sessionId: string;
let ofSession: string;
beforeAll(async () => {
  sessionId = (await owner.createSession({ title: "Shared with the world" })).id;
  ofSession = `${share}?sessionId=${sessionId}`;
});

/** The link as an outsider sees it. */
async function view(slug: string) {
  const { status, text, headers } = await exchange(world.baseUrl, { path: `/api/shared-previews/${slug}` });
  return { status, body: JSON.parse(text), headers };
}

test("a preview has no link until one is created; any member who creates it again gets the same one", async () => {
  expect((await owner.get(ofSession)).body).toEqual({ data: { share: null } });
  const made = await createClient(world, "member").post(ofSession, {});
  expect(made.status).toBe(201);
  expect(made.body.data).toEqual({
    share: {
      slug: expect.stringMatching(/^[A-Za-z0-9_-]{20,}$/),
      url: `${world.baseUrl}/shared/${made.body.data.share.slug}`,
      createdAt: expect.stringMatching(/Z$/),
      lastViewedAt: null,
    },
  });
  const again = await owner.post(ofSession);
  expect([again.status, again.body]).toEqual([200, made.body]);
  const inBody = await createClient(world, "admin").post(share, { sessionId });
  expect([inBody.status, inBody.body]).toEqual([200, made.body]);
  expect((await owner.get(ofSession)).body).toEqual(made.body);
});

test("ten concurrent creates return one link", async () => {
  const { id } = await owner.createSession({ title: "Rush" });
  const made = await Promise.all(Array.from({ length: 10 }, () => owner.post(share, { sessionId: id })));
  expect(new Set(made.map(({ body }) => body.data.share.slug)).size).toBe(1);
  expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
});

test("a session in the body precedes one in the query", async () => {
  const { id } = await owner.createSession({ title: "In the body" });
  const made = await owner.post(ofSession, { sessionId: id });
  expect(made.status).toBe(201);
  expect((await owner.get(`${share}?sessionId=${id}`)).body).toEqual(made.body);
  expect((await owner.get(ofSession)).body.data.share.slug).not.toBe(made.body.data.share.slug);
});

test("anybody with the slug sees the preview: it wakes, is ready, and opens", async () => {
  const { slug } = (await owner.get(ofSession)).body.data.share;
  const seen = await until("the shared preview to be ready", async () => {
    const { status, body, headers } = await view(slug);
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(["starting", "ready"]).toContain(body.data.status);
    return body.data.status === "ready" && body.data;
  });
  expect(seen).toEqual({
    projectName: "Demo app",
    sessionTitle: "Shared with the world",
    status: "ready",
    frontends: [{ name: "web", url: expect.any(String), isServing: true }],
    artifacts: [],
  });
  const { host, pathname, search } = new URL(seen.frontends[0].url);
  const page = await exchange(world.baseUrl, { path: pathname + search, headers: { host } });
  expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  expect((await owner.get(ofSession)).body.data.share.lastViewedAt).toMatch(/Z$/);

  const link = await exchange(world.baseUrl, { path: `/shared/${slug}` });
  expect([link.status, link.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  expect(link.text).toContain("Shared with the world");
  expect(link.text).toContain("Demo app");
});

test("a revoked link stops immediately, and a new one has another slug", async () => {
  const { slug } = (await owner.get(ofSession)).body.data.share;
  const revoked = await createClient(world, "member").delete(ofSession);
  expect([revoked.status, revoked.body]).toEqual([200, { data: { share: null } }]);
  const gone = await view(slug);
  expect([gone.status, gone.body.code]).toEqual([404, "NOT_FOUND"]);
  expect((await exchange(world.baseUrl, { path: `/shared/${slug}` })).status).toBe(404);
  expect((await owner.get(ofSession)).body).toEqual({ data: { share: null } });
  expect((await owner.delete(ofSession)).body).toEqual({ data: { share: null } });

  const made = await owner.post(ofSession);
  expect(made.status).toBe(201);
  expect(made.body.data.share.slug).not.toBe(slug);
  expect((await view(slug)).status).toBe(404);
});

test("an open page wakes nothing after its link is revoked, even if there is a new link", async () => {
  const { id } = await owner.createSession({ title: "No longer shared" });
  const made = async () => (await owner.post(share, { sessionId: id })).body.data.share.slug;
  const opened = async (slug: string) => {
    const { frontends } = await until("the shared preview", async () => {
      const { data } = (await view(slug)).body;
      return data.status === "ready" && data;
    });
    const { host, searchParams } = new URL(frontends[0].url);
    const cookie = `${authTokenCookie}=${searchParams.get("svc_auth")}`;
    const key = host.split(".")[0]?.split("--")[1];
    return { headers: { host, cookie, accept: "text/html" }, sandbox: `/sandboxes/${key}` };
  };
  const { headers, sandbox } = await opened(await made());
  const visit = () => exchange(world.baseUrl, { path: "/", headers });
  const isRunning = async () => JSON.parse((await exchange(world.sandboxHostUrl, { path: sandbox })).text).running;
  const lose = () => exchange(world.sandboxHostUrl, { method: "DELETE", path: sandbox });
  await lose();
  expect((await visit()).text).toContain("Waking the preview</h1>");
  await until("the preview to be back", async () => (await visit()).status === 200);

  await owner.delete(`${share}?sessionId=${id}`);
  expect((await visit()).status).toBe(200);
  await lose();
  for (const remake of [async () => undefined, made]) {
    await remake();
    const resting = await visit();
    expect([resting.status, resting.headers.refresh]).toEqual([503, undefined]);
    expect(resting.text).toContain("The preview is resting</h1>");
    expect(await isRunning()).toBe(false);
  }
});

test("after the deletion of its session, a link is not found, and no cache stores it", async () => {
  const session = await owner.createSession({ title: "Short-lived" });
  const { slug } = (await owner.post(share, { sessionId: session.id })).body.data.share;
  const routes = [`/api/shared-previews/${slug}`, `/api/shared-previews/${slug}/artifacts/${randomUUID()}`];
  const statuses = async () => {
    const answers = await Promise.all([...routes, `/shared/${slug}`].map((path) => exchange(world.baseUrl, { path })));
    for (const { headers } of answers) expect(headers["cache-control"]).toBe("no-store");
    return answers.map(({ status }) => status);
  };
  expect(await statuses()).toEqual([200, 404, 200]);
  expect((await owner.delete(session.path)).status).toBe(204);
  expect(await statuses()).toEqual([404, 404, 404]);
});

test("a title is shown as text on the page of a link", async () => {
  const title = `</script><script>alert(1)</script><!--<img src=x onerror="alert('2')">`;
  const { id } = await owner.createSession({ title, status: "backlog", prompt: "Later." });
  const { slug } = (await owner.post(share, { sessionId: id })).body.data.share;
  const { text } = await exchange(world.baseUrl, { path: `/shared/${slug}` });
  expect(text).toContain("<h1>&lt;/script&gt;&lt;script&gt;alert(1)");
  expect(text).not.toMatch(/<\/script><script>alert|<img|<!--/);
});

test("a read of a link wakes nothing, and views are recorded with limited accuracy", async () => {
  const { id } = await owner.createSession({ title: "Asleep" });
  const { slug } = (await owner.post(share, { sessionId: id })).body.data.share;
  const seen = await view(`${slug}?wake=false`);
  expect(seen.body.data).toMatchObject({ status: "unavailable", reason: "not_running" });
  const health = (await owner.get(`${preview}/health?sessionId=${id}`)).body.data;
  expect(health).toMatchObject({ needsStart: true, sandboxAvailable: false });
  const viewedAt = async () => (await owner.get(`${share}?sessionId=${id}`)).body.data.share.lastViewedAt;
  const first = await viewedAt();
  expect(first).toMatch(/Z$/);
  await view(slug);
  expect(await viewedAt()).toBe(first);
  expect((await view(`${slug}?wake=maybe`)).status).toBe(400);
});

describe("a link without a preview reports the reason", () => {
  test("a session that has ended", async () => {
    const { id } = await owner.createSession({ status: "backlog", title: "Not begun" });
    const { slug } = (await owner.post(share, { sessionId: id })).body.data.share;
    expect((await view(slug)).body.data).toEqual({
      projectName: "Demo app",
      sessionTitle: "Not begun",
      status: "unavailable",
      reason: "session_ended",
      frontends: [],
      artifacts: [],
    });
  });

  test("a main preview that no Deploy has created", async () => {
    const { slug } = (await owner.post(share)).body.data.share;
    expect((await view(slug)).body.data).toEqual({
      projectName: "Demo app",
      sessionTitle: null,
      status: "unavailable",
      reason: "not_running",
      frontends: [],
      artifacts: [],
    });
    await owner.delete(share);
  });

  test.each(["unknown", "a".repeat(43), "%2e%2e", "x' OR '1'='1"])("an unknown slug: %s", async (slug) => {
    const { status, body } = await view(encodeURI(slug));
    expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
  });
});
