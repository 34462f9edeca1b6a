// What a preview host shows when no service responds: a page to a browser, JSON to a program; and
// how it accepts a new Auth Token.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { authTokenCookie, renewalPath } from "../../src/preview/host/address.ts";
import { previewWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";
import { endService } from "../support/probed-preview.ts";
import { until } from "../support/until.ts";
import { openSocket } from "../support/web-socket.ts";

const world = previewWorld();
const owner = createClient(world);
const preview = `/api/projects/${world.projectId}/preview`;
const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

interface Opened {
  id: string;
  path: string;
  host: string;
  token: string;
  sandboxKey: string;
}

/** A session whose preview responds. */
async function openSession(): Promise<Opened> {
  const session = await owner.createSession({ title: "Notices" });
  const read = async () => (await owner.get(`${preview}?sessionId=${session.id}`)).body.data;
  const { frontendUrls, sandboxKey } = await until("the preview", async () => {
    const data = await read();
    return data.frontendUrls.web && data;
  });
  const url = new URL(frontendUrls.web);
  const opened = {
    id: session.id,
    path: session.path,
    host: url.host,
    token: url.searchParams.get("svc_auth") ?? "",
    sandboxKey,
  };
  await until("its service", async () => (await ask(opened)).status === 200);
  return opened;
}

const ask = ({ host, token }: Opened, headers: Record<string, string> = {}, method = "GET", path = "/") =>
  exchange(world.baseUrl, { method, path, headers: { host, cookie: `${authTokenCookie}=${token}`, ...headers } });

/** The response of the sandbox host. */
async function isRunning({ sandboxKey }: Opened): Promise<boolean> {
  return JSON.parse((await exchange(world.sandboxHostUrl, { path: `/sandboxes/${sandboxKey}` })).text).running;
}

let standing: Opened;
beforeAll(async () => {
  standing = await openSession();
});

/** Expects one failure as a page and as JSON. */
async function expectMessagePage(
  opened: Opened,
  { status, code, heading }: Record<"code" | "heading", string> & { status: number },
) {
  const page = await ask(opened, html);
  expect([page.status, page.headers["content-type"]]).toEqual([status, "text/html; charset=utf-8"]);
  expect(page.text).toContain(`${heading}</h1>`);
  expect(page.headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringMatching(/^default-src 'none'; script-src 'nonce-/),
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const told = await ask(opened);
  expect(told.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  expect([told.status, JSON.parse(told.text), told.headers["cache-control"]]).toEqual([
    status,
    { error: expect.stringContaining(heading), code },
    "no-store",
  ]);
  // The response to a form is no page that reloads itself.
  const posted = await ask(opened, html, "POST");
  expect([posted.status, JSON.parse(posted.text).code, posted.headers.refresh]).toEqual([status, code, undefined]);
  return page;
}

describe("pages without a response of the service", () => {
  test("a visitor without a valid token is asked to open a fresh link", async () => {
    const refused = { status: 401, code: "PREVIEW_REFUSED", heading: "This preview needs a fresh link" };
    const page = await expectMessagePage({ ...standing, token: "" }, refused);
    expect(page.headers.refresh).toBeUndefined();
  });

  test("a member gets a link back to the page that was open, and nobody else does", async () => {
    const [member, outsider] = await Promise.all([signIn(world, "member"), signIn(world, "outsider")]);
    const page = await ask({ ...standing, token: "" }, html, "GET", "/deep/page?tab=2&svc_auth=expired");
    const [, link = ""] = /<a class="button" href="([^"]*)"/.exec(page.text) ?? [];
    const url = new URL(link.replaceAll("&amp;", "&"));
    expect(url.origin).toBe(world.baseUrl);
    const follow = (path: string, headers: Record<string, string> = {}) => exchange(world.baseUrl, { path, headers });
    const here = url.pathname + url.search;

    const back = await follow(here, member.headers);
    const fresh = new URL(back.headers.location ?? "");
    expect([back.status, fresh.host, fresh.pathname]).toEqual([302, standing.host, "/deep/page"]);
    const led = await ask({ ...standing, token: "" }, html, "GET", fresh.pathname + fresh.search);
    expect([led.status, led.headers.location]).toEqual([302, "/deep/page?tab=2"]);

    // A path that leads elsewhere still leads to the preview.
    for (const path of ["//evil.example/x", "https://evil.example/x", "/\\evil.example"]) {
      const { location = "" } = (await follow(`${url.pathname}?path=${encodeURIComponent(path)}`, member.headers))
        .headers;
      expect(new URL(location).host).toBe(standing.host);
    }
    const unknown = url.pathname.replace(standing.sandboxKey, `s${"0".repeat(16)}`);
    const signedOut = await Promise.all([follow(url.pathname), follow(unknown)]);
    for (const { status, text } of signedOut) expect([status, text]).toEqual([200, expect.stringContaining("Sign in")]);
    const strangers = await Promise.all([follow(url.pathname, outsider.headers), follow(unknown, member.headers)]);
    for (const { status, text } of strangers)
      expect([status, text]).toEqual([404, expect.stringContaining("You cannot open this preview")]);
  });

  test("a visitor of a host without a preview gets a page that says so", async () => {
    const unknown = { status: 404, code: "PREVIEW_UNKNOWN", heading: "There is no preview here" };
    const elsewhere = standing.host.replace("web--", "nothing--");
    for (const host of [`preview.localhost:${new URL(world.baseUrl).port}`, elsewhere]) {
      const page = await expectMessagePage({ ...standing, host }, unknown);
      expect(page.headers.refresh).toBeUndefined();
    }
  });

  test("a page says that a service does not respond, and retries", async () => {
    const opened = await openSession();
    const job = await owner.run(opened.path, {
      bash: "echo 'process.exit(1)' > server.js",
    });
    expect(job.status).toBe("completed");
    await endService(world, opened.id);
    await until("the service to be down", async () => (await ask(opened)).status !== 200);
    const silent = { status: 502, code: "PREVIEW_SILENT", heading: "Nothing answers here yet" };
    expect((await expectMessagePage(opened, silent)).headers.refresh).toBe("4");
  });

  test("a crashed service is shown with its exit status and the end of its log, only to members", async () => {
    const opened = await openSession();
    const says = `console.error("<b>no such station</b>"); process.exit(7)`;
    await owner.run(opened.path, { write: { path: "server.js", content: says } });
    await endService(world, opened.id);
    const ofSession = `sessionId=${opened.id}`;
    await until("the crash to be told", async () => (await ask(opened)).text.includes("exited 7"));
    const page = await ask(opened, html);
    expect(page.text).toContain("The service web exited 7");
    expect(page.text).toContain("&lt;b&gt;no such station&lt;/b&gt;");
    const health = (await owner.get(`${preview}/health?${ofSession}`)).body.data;
    const crash = { how: "exited 7", logEnd: expect.stringContaining("no such station") };
    expect(health.state).toBe("starting");
    expect(health.services).toContainEqual({ name: "web", httpResult: "not_healthy", crash });
    // It is started again repeatedly: between two attempts it has no start.
    const services = await until("the pause between two tries", async () => {
      const { services } = (await owner.get(`${preview}/services?${ofSession}`)).body.data;
      return services[0].startedAt === null && services;
    });
    expect(services).toEqual([
      {
        name: "web",
        state: "crashed",
        startedAt: null,
        lastExitCode: 7,
        lastExit: "exited 7",
        restarts: expect.any(Number),
        httpResult: "not_healthy",
      },
    ]);
    const readLog = async (query = "") =>
      (await owner.get(`${preview}/services/web/log?${ofSession}${query}`)).body.data;
    const whole = await readLog();
    expect(whole).toEqual({
      name: "web",
      log: expect.stringContaining("<b>no such station</b>"),
      offset: expect.stringMatching(/^[0-9a-f]{12}\.\d+$/),
      isCut: false,
    });
    const since = await readLog(`&after=${whole.offset}`);
    expect([since.isCut, (await readLog()).log.startsWith(whole.log + since.log)]).toEqual([false, true]);
    const other = await readLog(`&after=${"0".repeat(12)}.0`);
    expect([other.isCut, other.log.startsWith(whole.log)]).toEqual([true, true]);
    expect((await owner.get(`${preview}/services/web/log?${ofSession}&after=x`)).status).toBe(400);
    expect((await owner.get(`${preview}/services/nobody/log?${ofSession}`)).status).toBe(404);

    const { share } = (await owner.post(`${preview}/share`, { sessionId: opened.id })).body.data;
    const shared = (await owner.get(`/api/shared-previews/${share.slug}`)).body.data;
    const token = new URL(shared.frontends[0].url).searchParams.get("svc_auth") ?? "";
    const seen = await ask({ ...opened, token }, html);
    expect(seen.text).toContain("The service web exited 7");
    expect(seen.text).not.toContain("no such station");
  });

  test("a sleeping preview is woken by a visit, not by the requests of an open page", async () => {
    const opened = await openSession();
    expect(await isRunning(opened)).toBe(true);
    await exchange(world.sandboxHostUrl, { method: "DELETE", path: `/sandboxes/${opened.sandboxKey}` });
    const byItself = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };
    const resting = await ask(opened, byItself);
    expect([resting.status, JSON.parse(resting.text).code]).toEqual([503, "PREVIEW_PAUSED"]);
    const { host, token } = opened;
    const live = await openSocket(world.baseUrl, "/live", { host, cookie: `${authTokenCookie}=${token}` });
    expect(live).toBe(503);
    expect(await isRunning(opened)).toBe(false);

    const opens = { ...html, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" };
    const page = await ask(opened, opens);
    expect([page.status, page.headers.refresh]).toEqual([503, "2"]);
    expect(page.text).toContain("Waking the preview</h1>");
    await until("the preview to be back", async () => (await ask(opened, opens)).status === 200);
    expect(await isRunning(opened)).toBe(true);
  });

  test("an open page of an ended session says so, that of a deleted one is unknown, and neither revives anything", async () => {
    const opened = await openSession();
    expect((await owner.put(opened.path, { status: "completed" })).status).toBe(200);
    // Its services end first, and the work is saved after that.
    await until("its sandbox to be retired", async () => !(await isRunning(opened)));
    await expectMessagePage(opened, { status: 410, code: "PREVIEW_ENDED", heading: "This session has ended" });
    expect(await isRunning(opened)).toBe(false);
    expect((await owner.delete(opened.path)).status).toBe(204);
    await expectMessagePage(opened, { status: 404, code: "PREVIEW_UNKNOWN", heading: "There is no preview here" });
    expect(await isRunning(opened)).toBe(false);
  });
});

describe("a new Auth Token", () => {
  test("is accepted at a path that is not forwarded to a service", async () => {
    const answer = await ask({ ...standing, token: "" }, {}, "GET", `${renewalPath}?svc_auth=${standing.token}`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(answer.headers["set-cookie"]?.[0]).toContain(`${authTokenCookie}=${standing.token};`);
  });

  test("has to be valid", async () => {
    const answer = await ask({ ...standing, token: "" }, {}, "GET", `${renewalPath}?svc_auth=${randomUUID()}`);
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([401, undefined]);
  });
});

test("is found among several cookies of its name, in any order", async () => {
  const { host, token } = standing;
  for (const values of [
    ["planted", token],
    [token, "planted"],
  ]) {
    const cookie = values.map((value) => `${authTokenCookie}=${value}`).join("; ");
    expect((await exchange(world.baseUrl, { path: "/", headers: { host, cookie } })).status).toBe(200);
  }
});
