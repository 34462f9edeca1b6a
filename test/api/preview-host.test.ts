// The preview hosts: who has access, and what the services receive.
import { beforeAll, describe, expect, test } from "vitest";
import { sign } from "../../src/lib/signing.ts";
import { authTokenCookie, panePath } from "../../src/preview/host/address.ts";
import { issueToken } from "../../src/sandbox/token.ts";
import { previewWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { type Exchange, exchange } from "../support/http-exchange.ts";
import { openPreview, openProbe } from "../support/probed-preview.ts";
import { until } from "../support/until.ts";
import { openSocket } from "../support/web-socket.ts";
import { readSigningKeys } from "../support/world-secrets.ts";

const world = previewWorld();
const owner = createClient(world);
const signingKeys = readSigningKeys(world);
let host: string;
let token: string;
let sandboxKey: string;
let otherHost: string;
let otherToken: string;

beforeAll(async () => {
  const other = await owner.createSession({ title: "Another" });
  ({ host, token, sandboxKey } = await openProbe(world));
  ({ host: otherHost, token: otherToken } = await openPreview(world, other.id));
});

const cookie = () => `${authTokenCookie}=${token}`;
const send = (asked: Exchange) => exchange(world.baseUrl, { ...asked, headers: { host, ...asked.headers } });
const get = (path: string, headers: Record<string, string> = {}) => send({ path, headers });

/** The request as the service received it. */
async function echoed(asked: Exchange) {
  const answer = await send({ ...asked, headers: { cookie: cookie(), ...asked.headers } });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text);
}

describe("nothing is served without a valid Auth Token", () => {
  const ports = { web: 3_000 };
  const minute = 60_000;
  const tokens: Record<string, () => string | Promise<string>> = {
    "no token": () => "",
    garbage: () => "a.b",
    "one cut short": () => token.slice(0, -2),
    "one of another sandbox": () => otherToken,
    "one that has expired": () => sign(signingKeys, "auth-token", { sandboxKey, ports }, Date.now() - 1),
    "one signed with another key": () =>
      sign({ SIGNING_KEY: "another" }, "auth-token", { sandboxKey, ports }, Date.now() + minute),
    "a sandbox's token": () =>
      issueToken(
        signingKeys,
        {
          workspaceId: "",
          projectId: "",
          owner: null,
          git: "push",
          branch: "",
          sandboxKey,
          generation: 1,
          turnId: null,
        },
        Date.now() + minute,
      ),
    "an API key": () => world.users.owner.apiKey,
  };
  test.each(Object.entries(tokens))("%s", async (_, make) => {
    const shown = await make();
    const tries = [
      get(`/?svc_auth=${shown}`),
      get("/", { cookie: `${authTokenCookie}=${shown}` }),
      get(`/api/meta?svc_auth=${shown}`),
    ];
    for (const { status, text, headers } of await Promise.all(tries)) {
      expect([status, headers["cache-control"]]).toEqual([401, "no-store"]);
      expect(text).not.toMatch(/<html|"data"/);
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  test("an API key as a bearer credential", async () => {
    expect((await get("/", { authorization: `Bearer ${world.users.owner.apiKey}` })).status).toBe(401);
  });

  test.each([
    ["preview.localhost", 404, 404],
    ["nothing.preview.localhost", 404, 404],
    ["web--short.preview.localhost", 404, 404],
    ["{key}.preview.localhost", 404, 404],
    ["more.web--{key}.preview.localhost", 404, 404],
    ["api--{key}.preview.localhost", 404, 401],
    ["constructor--{key}.preview.localhost", 404, 401],
    ["web--s0123456789abcdef.preview.localhost", 401, 401],
  ])("at a host that is not a frontend of the sandbox: %s", async (name, withToken, without) => {
    const { port } = new URL(world.baseUrl);
    const there = `${name.replace("{key}", sandboxKey)}:${port}`;
    const answer = await get(`/?svc_auth=${token}`, { host: there, cookie: cookie() });
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([withToken, undefined]);
    expect((await get("/", { host: there })).status).toBe(without);
  });
});

describe("the Auth Token in the URL", () => {
  test("serves the page and becomes a cookie of that host only", async () => {
    const { status, headers, text } = await get(`/?svc_auth=${token}`);
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toMatch(/<html/);
    const [set = "", ...more] = headers["set-cookie"] ?? [];
    expect(more).toEqual([]);
    expect(set.split("; ").sort()).toEqual(
      [
        `${authTokenCookie}=${token}`,
        "Path=/",
        "Max-Age=900",
        "HttpOnly",
        "Secure",
        "SameSite=None",
        "Partitioned",
      ].sort(),
    );
  });

  test("is deleted from a browser's URL by a redirect", async () => {
    const navigate = { "sec-fetch-mode": "navigate" };
    const { status, headers } = await get(`/some/page?a=1&svc_auth=${token}&flag&b=%20x`, navigate);
    expect([status, headers.location]).toEqual([302, "/some/page?a=1&flag&b=%20x"]);
    expect(headers["set-cookie"]?.[0]).toContain(`${authTokenCookie}=${token}`);
    const followed = await get("/", { ...navigate, cookie: cookie() });
    expect([followed.status, followed.headers["set-cookie"]]).toEqual([200, undefined]);
  });

  test("is deleted also for a browser that sends no fetch metadata", async () => {
    const { status, headers } = await get(`/?svc_auth=${token}`, { accept: "text/html,*/*;q=0.8" });
    expect([status, headers.location, headers["cache-control"]]).toEqual([302, "/", "no-store"]);
  });

  test("is ignored if it is invalid and the cookie is valid", async () => {
    const expired = await sign(signingKeys, "auth-token", { sandboxKey, ports: { web: 3_000 } }, Date.now() - 1);
    for (const shown of [expired, otherToken]) {
      const path = `/probe/echo?a=1&svc_auth=${shown}`;
      const led = await get(path, { cookie: cookie(), "sec-fetch-mode": "navigate" });
      const asked = [led.status, led.headers.location, led.headers["set-cookie"]];
      expect(asked).toEqual([302, "/probe/echo?a=1", undefined]);
      expect((await echoed({ path })).url).toBe("/probe/echo?a=1");
      const byAnother = { cookie: cookie(), "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
      expect((await get(path, byAnother)).status).toBe(401);
      const renewed = await get(`/.well-known/switchyard-renewal?svc_auth=${shown}`, { cookie: cookie() });
      expect([renewed.status, renewed.headers["set-cookie"]]).toEqual([204, undefined]);
    }
  });

  test("is never in a referrer that the service receives", async () => {
    const referer = `http://${host}/page?a=1&svc_auth=${token}&b`;
    const seen = await echoed({ path: "/probe/echo", headers: { referer } });
    expect(seen.headers.referer).toBe(`http://${host}/page?a=1&b`);
  });

  test("never redirects to another host, whatever the path", async () => {
    const { status, headers } = await get(`//elsewhere.example/?svc_auth=${token}`, { "sec-fetch-mode": "navigate" });
    expect([status, headers.location]).toEqual([302, "/elsewhere.example/"]);
  });

  test("of one sandbox is not valid for another host, also as a cookie", async () => {
    expect((await get("/", { host: otherHost, cookie: cookie() })).status).toBe(401);
    expect((await get("/", { host: otherHost, cookie: `${authTokenCookie}=${otherToken}` })).status).toBe(200);
  });
});

describe("the page between the console and the app", () => {
  const opens = { "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" };
  const framed = { ...opens, "sec-fetch-dest": "iframe" };

  test("is in a frame of a member, and only the service's own pages may frame it", async () => {
    const page = await until("the console", async () => {
      const answer = await get(panePath, { cookie: cookie(), ...framed });
      return answer.status === 200 && answer;
    });
    expect(page.headers["content-security-policy"]).toContain(`; frame-ancestors ${world.baseUrl}`);
    expect(page.headers["cache-control"]).toBe("no-store");
    expect(page.text).toContain('<iframe title="The app" src="/"');
  });

  test("is what the console asks for beside the Auth Token, and nobody else", async () => {
    const leadsTo = async (query: string) =>
      /<a href="([^"]*)"/.exec((await get(`/deep?${query}svc_auth=${token}`, framed)).text)?.[1];
    expect([await leadsTo("svc_pane=1&"), await leadsTo("page=1&")]).toEqual([panePath, "/deep?page=1"]);
  });

  test("is not for a tab or a visitor with a link, who reach the service, nor for one without access", async () => {
    const claims = { sandboxKey, sessionId: null, linkMadeAt: Date.now(), userId: null, ports: { web: 3_000 } };
    const ofLink = await sign(signingKeys, "auth-token", claims, Date.now() + 60_000);
    const others: [status: number, headers: Record<string, string>][] = [
      [404, { cookie: cookie(), ...opens, "sec-fetch-dest": "document" }],
      [404, { cookie: cookie() }],
      [404, { cookie: `${authTokenCookie}=${ofLink}`, ...framed }],
      [401, framed],
      [401, { cookie: cookie(), ...framed, "sec-fetch-site": "cross-site" }],
    ];
    for (const [status, headers] of others) {
      const answer = await get(panePath, headers);
      expect(answer.status).toBe(status);
      expect(answer.text).not.toContain("The app");
    }
  });
});

describe("the service receives the request unchanged", () => {
  test.each([
    ["/probe/echo", "/probe/echo"],
    ["/probe/echo?import", "/probe/echo?import"],
    ["/probe/echo?a=%20b&c=d+e&f=%2F&g", "/probe/echo?a=%20b&c=d+e&f=%2F&g"],
    ["/probe/echo?svc_auth={token}", "/probe/echo"],
    ["/probe/echo?x&svc_auth={token}&y=%20", "/probe/echo?x&y=%20"],
    ["/probe/echo?svc_auth_own=kept", "/probe/echo?svc_auth_own=kept"],
  ])("its URL without the token: %s", async (path, url) => {
    expect((await echoed({ path: path.replace("{token}", token) })).url).toBe(url);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("its method and body: %s", async (method) => {
    const seen = await echoed({
      method,
      path: "/probe/echo",
      body: "a body with ümläuts",
      headers: { "x-own": "kept" },
    });
    expect([seen.method, atobText(seen.body), seen.headers["x-own"]]).toEqual([method, "a body with ümläuts", "kept"]);
  });

  test("without Switchyard's credentials, with the service's own", async () => {
    const apiKey = `Bearer ${world.users.owner.apiKey}`;
    const cookies = `theme=dark; ${cookie()}; svc_session=svc_ses_stolen; session=its-own; flag`;
    const seen = await echoed({ path: "/probe/echo", headers: { authorization: apiKey, cookie: cookies } });
    expect(seen.headers.authorization).toBeUndefined();
    expect(seen.headers.cookie).toBe("theme=dark; session=its-own; flag");
    expect(JSON.stringify(seen)).not.toContain(token);
    expect(Object.keys(seen.headers)).not.toContain("x-preview-port");
    expect(seen.headers["x-forwarded-host"]).toBe(host);

    const own = await echoed({ path: "/probe/echo", headers: { authorization: "Bearer a-token-of-the-app" } });
    expect(own.headers.authorization).toBe("Bearer a-token-of-the-app");
    expect(own.headers.cookie).toBeUndefined();
  });

  test("without the platform's headers about the visitor and the network", async () => {
    const said = {
      "cf-connecting-ip": "192.0.2.7",
      "cf-ray": "1",
      "cf-ipcountry": "CH",
      "true-client-ip": "192.0.2.7",
    };
    const seen = await echoed({
      path: "/probe/echo",
      headers: { ...said, "x-forwarded-for": "192.0.2.7", forwarded: "for=192.0.2.7" },
    });
    const kept = ["accept-encoding", "connection", "host", "x-forwarded-host", "x-forwarded-proto"];
    expect(Object.keys(seen.headers).filter((name) => !kept.includes(name))).toEqual([]);
    expect(seen.headers["x-forwarded-proto"]).toBe("http");
  });

  test("a visitor cannot choose the port with the internal header", async () => {
    const seen = await echoed({ path: "/probe/echo", headers: { "x-preview-port": "1", "x-forwarded-host": "evil" } });
    expect(seen.headers["x-forwarded-host"]).toBe(host);
  });
});

describe("a WebSocket is forwarded", () => {
  test("with the cookie, and with the token in the URL", async () => {
    const one = await openSocket(world.baseUrl, "/live", { host, cookie: cookie() });
    if (typeof one === "number") throw new Error(`the upgrade was answered with ${one}`);
    await until("the first news", () => one.received.includes(JSON.stringify({ viewers: 1, waves: 0 })));
    const two = await openSocket(world.baseUrl, `/live?svc_auth=${token}`, { host });
    if (typeof two === "number") throw new Error(`the upgrade was answered with ${two}`);
    two.send("wave");
    await until("both to hear the wave", () =>
      [one, two].every(({ received }) => received.includes(JSON.stringify({ viewers: 2, waves: 1 }))),
    );
    two.close();
    await until("the other to hear of the farewell", () =>
      one.received.includes(JSON.stringify({ viewers: 1, waves: 1 })),
    );
    one.close();
  });

  test("but not without one of them", async () => {
    expect(await openSocket(world.baseUrl, "/live", { host })).toBe(401);
    expect(await openSocket(world.baseUrl, "/live", { host, cookie: `${authTokenCookie}=${otherToken}` })).toBe(401);
  });
});

function atobText(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}
