// The preview hosts: who gets in, what the service behind them gets to see, and what comes back.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { issuePass } from "../../src/sandbox/pass.ts";
import { authTokenCookie } from "../../src/sandbox/preview-address.ts";
import { sign } from "../../src/signing.ts";
import { clientOf, script } from "../support/client.ts";
import { answerTo, type Exchange, exchange } from "../support/http-exchange.ts";
import { until } from "../support/until.ts";
import { openSocket } from "../support/web-socket.ts";
import { secretsOf } from "../support/world-secrets.ts";

const world = inject("world");
const owner = clientOf(world);
const { signingKey } = secretsOf(world);
const preview = `/api/projects/${world.projectId}/preview`;
const endService = `for p in /proc/[0-9]*; do [ "$(readlink $p/cwd)" = "$PWD" ] && tr '\\0' ' ' < $p/cmdline | grep -q server.js && kill \${p#/proc/}; done; true`;
let host: string;
let token: string;
let sandboxKey: string;
let otherHost: string;
let otherToken: string;

beforeAll(async () => {
  const server = await readFile(join(import.meta.dirname, "../support/preview-probe/server.js"), "utf8");
  const steps = [{ write: { path: "server.js", content: server } }, { bash: endService }, { say: "Restarted." }];
  const [ours, other] = await Promise.all([
    owner.createSession({ title: "Preview host", content: script(...steps) }),
    owner.createSession({ title: "Another" }),
  ]);
  await owner.jobUntil(ours.path, ours.jobId);
  ({ host, token, sandboxKey } = await addressOf(ours.id));
  ({ host: otherHost, token: otherToken } = await addressOf(other.id));
  await until("the probe to answer", async () => (await get("/probe/echo", { cookie: cookie() })).status === 200);
});

async function addressOf(sessionId: string) {
  const found = await until("the preview", async () => {
    const { data } = (await owner.get(`${preview}?sessionId=${sessionId}`)).body;
    return data.frontendUrls.web && data;
  });
  await until("its services", async () => {
    const { data } = (await owner.get(`${preview}/health?sessionId=${sessionId}`)).body;
    return data.state === "healthy" || null;
  });
  const url = new URL(found.frontendUrls.web);
  return { host: url.host, token: url.searchParams.get("svc_auth") ?? "", sandboxKey: found.sandboxKey };
}

const cookie = () => `${authTokenCookie}=${token}`;
const send = (asked: Exchange) => exchange(world.baseUrl, { ...asked, headers: { host, ...asked.headers } });
const get = (path: string, headers: Record<string, string> = {}) => send({ path, headers });

/** What the service saw of a request. */
async function echoed(asked: Exchange) {
  const answer = await send({ ...asked, headers: { cookie: cookie(), ...asked.headers } });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text);
}

describe("without a valid Auth Token nothing is served", () => {
  const ports = { web: 3_000 };
  const minute = 60_000;
  const tokens: Record<string, () => string | Promise<string>> = {
    "no token": () => "",
    garbage: () => "a.b",
    "one cut short": () => token.slice(0, -2),
    "one of another sandbox": () => otherToken,
    "one that has expired": () => sign(signingKey, "auth-token", { sandboxKey, ports }, Date.now() - 1),
    "one signed with another key": () => sign("another", "auth-token", { sandboxKey, ports }, Date.now() + minute),
    "a sandbox's pass": () =>
      issuePass(
        signingKey,
        { workspaceId: "", projectId: "", sessionId: "", branch: "", sandboxKey, generation: 1, turnId: null },
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
  ])("at a host that is none of the sandbox's frontends: %s", async (name, withToken, without) => {
    const { port } = new URL(world.baseUrl);
    const there = `${name.replace("{key}", sandboxKey)}:${port}`;
    const answer = await get(`/?svc_auth=${token}`, { host: there, cookie: cookie() });
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([withToken, undefined]);
    expect((await get("/", { host: there })).status).toBe(without);
  });
});

describe("the Auth Token in the address", () => {
  test("opens the page and is kept as a cookie of that host alone", async () => {
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

  test("leaves the address bar of a browser: a visit is led to the same address without it", async () => {
    const navigate = { "sec-fetch-mode": "navigate" };
    const { status, headers } = await get(`/some/page?a=1&svc_auth=${token}&flag&b=%20x`, navigate);
    expect([status, headers.location]).toEqual([302, "/some/page?a=1&flag&b=%20x"]);
    expect(headers["set-cookie"]?.[0]).toContain(`${authTokenCookie}=${token}`);
    const followed = await get("/", { ...navigate, cookie: cookie() });
    expect([followed.status, followed.headers["set-cookie"]]).toEqual([200, undefined]);
  });

  test("leaves it for a browser that does not say what it is about, too", async () => {
    const { status, headers } = await get(`/?svc_auth=${token}`, { accept: "text/html,*/*;q=0.8" });
    expect([status, headers.location, headers["cache-control"]]).toEqual([302, "/", "no-store"]);
  });

  test("is in no referrer that the service gets to see", async () => {
    const referer = `http://${host}/page?a=1&svc_auth=${token}&b`;
    const seen = await echoed({ path: "/probe/echo", headers: { referer } });
    expect(seen.headers.referer).toBe(`http://${host}/page?a=1&b`);
  });

  test("leads to no other host, however the path begins", async () => {
    const { status, headers } = await get(`//elsewhere.example/?svc_auth=${token}`, { "sec-fetch-mode": "navigate" });
    expect([status, headers.location]).toEqual([302, "/elsewhere.example/"]);
  });

  test("of one sandbox opens not another's host, also as its cookie", async () => {
    expect((await get("/", { host: otherHost, cookie: cookie() })).status).toBe(401);
    expect((await get("/", { host: otherHost, cookie: `${authTokenCookie}=${otherToken}` })).status).toBe(200);
  });
});

describe("the service gets the request as it was sent", () => {
  test.each([
    ["/probe/echo", "/probe/echo"],
    ["/probe/echo?import", "/probe/echo?import"],
    ["/probe/echo?a=%20b&c=d+e&f=%2F&g", "/probe/echo?a=%20b&c=d+e&f=%2F&g"],
    ["/probe/echo?svc_auth={token}", "/probe/echo"],
    ["/probe/echo?x&svc_auth={token}&y=%20", "/probe/echo?x&y=%20"],
    ["/probe/echo?svc_auth_own=kept", "/probe/echo?svc_auth_own=kept"],
  ])("its address, less the token: %s", async (path, url) => {
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

  test("without Switchyard's own credentials, and with those that are its own", async () => {
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

  test("without what the platform says of the visitor and the way here", async () => {
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

  test("a port that the visitor asks for in a header of ours is not reached", async () => {
    const seen = await echoed({ path: "/probe/echo", headers: { "x-preview-port": "1", "x-forwarded-host": "evil" } });
    expect(seen.headers["x-forwarded-host"]).toBe(host);
  });
});

describe("the visitor gets the answer as the service gave it", () => {
  const inside = () => ({ cookie: cookie() });

  test("status and headers", async () => {
    const { status, headers, text } = await get("/probe/teapot", inside());
    expect([status, headers["x-own"], text]).toEqual([418, "kept", "short and stout"]);
  });

  test("a redirect, which is not followed on the way", async () => {
    const { status, headers } = await get("/probe/redirect", inside());
    expect([status, headers.location]).toEqual([307, "/probe/echo?moved"]);
  });

  test("a redirect to the port that the service takes for its visitors' leads to the same place here", async () => {
    const { status, headers } = await get("/probe/own-port", inside());
    expect([status, headers.location]).toEqual([302, "/probe/echo?moved#there"]);
    expect((await get("/probe/elsewhere", inside())).headers.location).toBe("https://example.com/away");
  });

  test("no cookie that would reach the previews of others, and none in place of the preview's own", async () => {
    const { headers } = await get("/probe/tossed", inside());
    expect(headers["set-cookie"]).toEqual(["wide=1; Path=/; HttpOnly", "own=1; Path=/"]);
  });

  test("kept by nobody on the way, for it can be revoked, and fit for the frame of a share page", async () => {
    const { headers } = await get("/probe/shared", inside());
    expect(headers["cache-control"]).toBe("private, max-age=600");
    expect(headers["content-security-policy"]).toBe("default-src 'self'");
    expect(Object.keys(headers).filter((name) => /cdn|frame-options/.test(name))).toEqual([]);
    expect((await get("/", inside())).headers["cache-control"]).toBe("private, no-cache");
    expect((await get("/probe/teapot", inside())).headers["cache-control"]).toBe("private");
  });

  test("part of a file, nothing new of one, or nothing at all", async () => {
    const part = await get("/probe/file", { ...inside(), range: "bytes=10-19" });
    expect([part.status, part.headers["content-range"], part.text]).toEqual([206, "bytes 10-19/10000", "0123456789"]);
    const known = await get("/probe/file", { ...inside(), "if-none-match": '"one"' });
    expect([known.status, known.headers.etag, known.text]).toEqual([304, '"one"', ""]);
    const head = await send({ method: "HEAD", path: "/probe/file", headers: inside() });
    expect([head.status, head.headers["content-length"], head.text]).toEqual([200, "10000", ""]);
    const empty = await get("/probe/empty", inside());
    expect([empty.status, empty.text]).toEqual([204, ""]);
  });

  test("a large body whole", async () => {
    const { bytes } = await get("/probe/large?pieces=40", inside());
    expect([bytes.length, bytes.every((byte) => byte === 7)]).toEqual([40 * 1_024 * 1_024, true]);
  });

  test("while the body of the request is still on its way", async () => {
    const { port } = new URL(world.baseUrl);
    const sent = request({
      host: "127.0.0.1",
      port,
      method: "POST",
      path: "/probe/upload",
      headers: { host, ...inside() },
    });
    sent.write("0123456789");
    const [answer] = await once(sent, "response");
    const [first] = await once(answer, "data");
    expect(String(first)).toBe("first;");
    sent.end("0123456789");
    expect(String(Buffer.concat(await answer.toArray()))).toBe("20");
  });

  test("several cookies, beside the preview's own", async () => {
    const { headers } = await get(`/probe/cookies?svc_auth=${token}`);
    expect(headers["set-cookie"]?.slice(0, 2)).toEqual(["one=1; Path=/", "two=2; Path=/"]);
    expect(headers["set-cookie"]).toHaveLength(3);
  });

  test("a packed body packed or unpacked, as the answer says", async () => {
    const { headers, bytes } = await get("/probe/gzip", { ...inside(), "accept-encoding": "gzip" });
    expect(String(headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes)).toBe("unpacked");
  });

  test("bytes that are no text", async () => {
    expect([...(await get("/probe/bytes", inside())).bytes]).toEqual([0, 255, 128, 10, 13]);
  });

  test("a stream piece by piece, before it ends", async () => {
    const answer = await answerTo(world.baseUrl, { path: "/probe/stream", headers: { host, ...inside() } });
    const [piece] = await once(answer, "data");
    expect(String(piece)).toBe("data: first\n\n");
    answer.destroy();
  });

  test("an answer to HEAD without a body", async () => {
    const { status, text } = await send({ method: "HEAD", path: "/", headers: inside() });
    expect([status, text]).toEqual([200, ""]);
  });

  test("nothing of the API: its paths are the service's own here", async () => {
    const { status, text } = await get("/api/meta", inside());
    expect([status, JSON.parse(text)]).toEqual([404, { error: "Nothing is here." }]);
  });
});

describe("a WebSocket reaches the service", () => {
  test("by the cookie, and by the token in the address", async () => {
    const one = await openSocket(world.baseUrl, "/live", { host, cookie: cookie() });
    if (typeof one === "number") throw new Error(`the upgrade was answered with ${one}`);
    await until("the first news", () => one.heard.includes(JSON.stringify({ viewers: 1, waves: 0 })));
    const two = await openSocket(world.baseUrl, `/live?svc_auth=${token}`, { host });
    if (typeof two === "number") throw new Error(`the upgrade was answered with ${two}`);
    two.send("wave");
    await until("both to hear the wave", () =>
      [one, two].every(({ heard }) => heard.includes(JSON.stringify({ viewers: 2, waves: 1 }))),
    );
    two.close();
    await until("the other to hear of the farewell", () =>
      one.heard.includes(JSON.stringify({ viewers: 1, waves: 1 })),
    );
    one.close();
  });

  test("and not without either", async () => {
    expect(await openSocket(world.baseUrl, "/live", { host })).toBe(401);
    expect(await openSocket(world.baseUrl, "/live", { host, cookie: `${authTokenCookie}=${otherToken}` })).toBe(401);
  });
});

function atobText(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}
