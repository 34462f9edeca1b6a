// Conventions of every route: the envelope, the credential, ids, sizes and the headers of every
// response.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";

const world = apiWorld();
const owner = createClient(world);
const { apiKey } = world.users.owner;
const absent = randomUUID();
const bearer = { authorization: `Bearer ${apiKey}` };
let session: string;
let otherSession: string;

beforeAll(async () => {
  session = (await owner.createSession({ title: "Envelope" })).path;
  otherSession = (await owner.createSession({ title: "Another" })).path;
});

/** Expects the failure envelope and nothing else. */
function expectRefusal(answer: { status: number; text: string }, status: number, code: string) {
  const body = JSON.parse(answer.text);
  expect({ status: answer.status, code: body.code }).toEqual({ status, code });
  expect(body.error).toEqual(expect.stringMatching(/\S/));
  expect(Object.keys(body).filter((key) => !["error", "code", "details"].includes(key))).toEqual([]);
}

describe("an invalid credential returns 401", () => {
  const credentials: Record<string, Record<string, string>> = {
    "no header": {},
    "an empty header": { authorization: "" },
    "a scheme without a key": { authorization: "Bearer" },
    "an unknown key": { authorization: `Bearer svc_key_${"A".repeat(43)}` },
    "a key cut short": { authorization: `Bearer ${apiKey.slice(0, -1)}` },
    "a key with something behind it": { authorization: `Bearer ${apiKey}x` },
    "a key of another case": { authorization: `Bearer ${apiKey.toUpperCase()}` },
    "the key as basic credentials": { authorization: `Basic ${btoa(`x:${apiKey}`)}` },
    "the key without a scheme": { authorization: apiKey },
    "the key under another scheme": { authorization: `Token ${apiKey}` },
    "the key in another header": { "x-api-key": apiKey },
    "the key in a cookie": { cookie: `svc_session=${apiKey}` },
    garbage: { authorization: "Bearer %00'; DROP TABLE keys; --" },
    "a very long key": { authorization: `Bearer svc_key_${"A".repeat(6_000)}` },
    "an agent token nobody made": { authorization: `Bearer svc_agt_${"A".repeat(43)}` },
    "a relay key nobody made": { authorization: `Bearer svc_rly_${"A".repeat(43)}` },
  };
  test.each(Object.entries(credentials))("%s", async (_, headers) => {
    expectRefusal(await exchange(world.baseUrl, { path: "/api/organizations", headers }), 401, "UNAUTHORIZED");
    // A caller without a key must not learn whether something exists.
    expectRefusal(await exchange(world.baseUrl, { path: session, headers }), 401, "UNAUTHORIZED");
    const unknown = `/api/projects/${absent}`;
    expectRefusal(await exchange(world.baseUrl, { path: unknown, headers }), 401, "UNAUTHORIZED");
  });

  test.each([
    ["missing", {}, "has no credential", 'Bearer realm="switchyard"'],
    ["malformed", { authorization: "Bearer nonsense" }, "unknown format", 'error="invalid_token"'],
    ["unknown", { authorization: `Bearer svc_key_${"B".repeat(43)}` }, "unknown or revoked", 'error="invalid_token"'],
  ])("that is %s says so", async (_, headers, words, challenge) => {
    const { text, headers: answered } = await exchange(world.baseUrl, { path: "/api/organizations", headers });
    expect(JSON.parse(text).error).toContain(words);
    expect(answered["www-authenticate"]).toContain(challenge);
  });

  test("the key in the query", async () => {
    const path = `/api/organizations?key=${apiKey}&access_token=${apiKey}`;
    expectRefusal(await exchange(world.baseUrl, { path }), 401, "UNAUTHORIZED");
  });
});

describe("an unknown id returns 404", () => {
  const ids = [absent, "nothing", "1", "%00", "%ZZ", "%E0%A4%A", "..%2f..", "null", "%F0%9F%9A%83", "a".repeat(300)];
  test.each(ids)("%s", async (id) => {
    const jobs = `${session}/jobs/chat/${id}`;
    const read = [`/api/projects/${id}`, `/api/projects/${id}/preview`, `${owner.sessions}/${id}`, jobs];
    for (const path of [...read, `/api/shared-previews/${id}`]) {
      expectRefusal(await exchange(world.baseUrl, { path, headers: bearer }), 404, "NOT_FOUND");
    }
    for (const path of [`${jobs}/cancel`, `${owner.sessions}/${id}/queue/resume`]) {
      expectRefusal(await exchange(world.baseUrl, { method: "POST", path, headers: bearer }), 404, "NOT_FOUND");
    }
    const health = `/api/projects/${world.projectId}/preview/health?sessionId=${id}`;
    expectRefusal(await exchange(world.baseUrl, { path: health, headers: bearer }), 404, "NOT_FOUND");
  });

  test("a session under the path of another project", async () => {
    const { siblingProjectId, projectId } = world;
    for (const project of [siblingProjectId, absent]) {
      const path = session.replace(projectId, project);
      const preview = `/api/projects/${project}/preview`;
      const ofSession = `sessionId=${session.split("/").at(-1)}`;
      const reads = [path, `${path}/messages`, `${path}/queue`, `${path}/jobs/chat`, `${path}/preview/git-state`];
      for (const read of [...reads, `${preview}?${ofSession}`, `${preview}/health?${ofSession}`]) {
        expectRefusal(await exchange(world.baseUrl, { path: read, headers: bearer }), 404, "NOT_FOUND");
      }
      const sent = { method: "POST", path: `${path}/jobs/chat`, headers: bearer, body: '{"content":"hi"}' };
      expectRefusal(await exchange(world.baseUrl, sent), 404, "NOT_FOUND");
      const shared = { method: "POST", path: `${preview}/share?${ofSession}`, headers: bearer };
      expectRefusal(await exchange(world.baseUrl, shared), 404, "NOT_FOUND");
    }
  });

  test("a resource of another workspace returns 403 for any request", async () => {
    const project = `/api/projects/${world.outsideProjectId}`;
    const theirs = await createClient({ ...world, projectId: world.outsideProjectId }, "outsider").createSession();
    const reads = [project, theirs.path, `${theirs.path}/messages`, `${project}/preview`, `${project}/preview/share`];
    for (const path of [...reads, `${project}/chat-sessions/${absent}`]) {
      expectRefusal(await exchange(world.baseUrl, { path, headers: bearer }), 403, "FORBIDDEN");
    }
    const create = { method: "POST", path: `${project}/chat-sessions`, headers: bearer, body: "{}" };
    expectRefusal(await exchange(world.baseUrl, create), 403, "FORBIDDEN");
    // A session of another workspace under a project of ours does not exist.
    const mixed = { path: theirs.path.replace(world.outsideProjectId, world.projectId), headers: bearer };
    expectRefusal(await exchange(world.baseUrl, mixed), 404, "NOT_FOUND");
  });

  test("a session's id in place of its project's", async () => {
    const path = session.replace(world.projectId, session.split("/").at(-1) ?? "");
    expectRefusal(await exchange(world.baseUrl, { path, headers: bearer }), 404, "NOT_FOUND");
  });
});

test("a job of another session returns 403, for a read and for a cancel", async () => {
  const sent = await owner.send(session, "Look around.");
  const { chatJobId } = sent.body.data;
  expect((await owner.jobUntil(session, chatJobId)).status).toBe("completed");
  const elsewhere = `${otherSession}/jobs/chat/${chatJobId}`;
  expectRefusal(await exchange(world.baseUrl, { path: elsewhere, headers: bearer }), 403, "FORBIDDEN");
  const cancel = { method: "POST", path: `${elsewhere}/cancel`, headers: bearer };
  expectRefusal(await exchange(world.baseUrl, cancel), 403, "FORBIDDEN");
});

describe("an unknown path returns 404 in the envelope", () => {
  test.each([
    ["GET", "/"],
    ["GET", "/nothing"],
    ["GET", "/api"],
    ["GET", "/api/"],
    ["GET", "/api/nothing"],
    ["GET", "/API/META"],
    ["GET", "/api//meta"],
    ["GET", "/api/meta/more"],
    ["GET", "/api/meta//"],
    ["GET", "/internal/nothing"],
    ["POST", "/nothing"],
  ])("%s %s", async (method, path) => {
    const answer = await exchange(world.baseUrl, { method, path, headers: bearer });
    expectRefusal(answer, 404, "NOT_FOUND");
    expect(answer.headers["x-request-id"]).toEqual(expect.stringMatching(/\S/));
  });
});

describe("an unsupported method returns 405 in the envelope, with the supported ones", () => {
  const key = "/api/user/api-keys";
  test.each([
    ["POST", "/api/meta", "GET, HEAD"],
    ["DELETE", "/api/models", "GET, HEAD"],
    ["PATCH", "/api/openapi.json", "GET, HEAD"],
    ["OPTIONS", "/api/models", "GET, HEAD"],
    ["PUT", "/api/models/", "GET, HEAD"],
    ["PUT", `${key}/current`, "GET, HEAD, DELETE"],
    ["GET", `${key}/${absent}`, "DELETE"],
    ["PATCH", owner.sessions, "POST, GET, HEAD"],
    ["POST", `${owner.sessions}/${absent}`, "GET, HEAD, PUT, DELETE"],
    ["GET", `${owner.sessions}/${absent}/queue/resume`, "POST"],
    ["GET", "/api/webhooks/github", "POST"],
  ])("%s %s", async (method, path, allow) => {
    const answer = await exchange(world.baseUrl, { method, path });
    expectRefusal(answer, 405, "METHOD_NOT_ALLOWED");
    expect(answer.headers.allow).toBe(allow);
    expect(answer.headers["x-request-id"]).toEqual(expect.stringMatching(/\S/));
  });
});

test("a trailing slash is ignored", async () => {
  for (const path of ["/api/models", "/api/meta", session, `${session}/jobs/chat`, `${session}/queue`]) {
    const [plain, slashed] = [path, `${path}/`].map((at) => exchange(world.baseUrl, { path: at, headers: bearer }));
    expect((await slashed)?.status).toBe(200);
    expect((await slashed)?.text).toBe((await plain)?.text);
  }
  const paged = await owner.get(`${session}/jobs/chat/?pageSize=3`);
  expect(paged.body.meta.pagination.pageSize).toBe(3);
});

test("a repeat with a trailing slash is the same request", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const first = await owner.post(owner.sessions, { title: "Once" }, headers);
  const again = await owner.post(`${owner.sessions}/`, { title: "Once" }, headers);
  expect(again.status).toBe(201);
  expect(again.body.data.session.id).toBe(first.body.data.session.id);
});

describe("a JSON body over 2 MiB returns 413", () => {
  const tooLarge = JSON.stringify({ content: "a".repeat(2 * 1_024 * 1_024) });
  const inChunks = tooLarge.match(/.{1,65536}/g) ?? [];
  test.each([
    ["with a Content-Length", tooLarge],
    ["in chunks without one", inChunks],
  ])("%s", async (_, body) => {
    const headers = { ...bearer, "content-type": "application/json" };
    for (const path of [owner.sessions, `${session}/jobs/chat`]) {
      expectRefusal(await exchange(world.baseUrl, { method: "POST", path, headers, body }), 413, "PAYLOAD_TOO_LARGE");
    }
  });

  test("a body just below the limit is read, and refused only for its content", async () => {
    const envelope = JSON.stringify({ content: "" }).length;
    const body = JSON.stringify({ content: "a".repeat(2 * 1_024 * 1_024 - envelope) });
    const path = `${session}/jobs/chat`;
    const answer = await exchange(world.baseUrl, { method: "POST", path, headers: bearer, body });
    expectRefusal(answer, 400, "VALIDATION_ERROR");
  });
});

describe("every response has a unique request id and must not be cached", () => {
  const asked: [string, string, Record<string, string>][] = [
    ["a success", "/api/models", bearer],
    ["a stream", "/messages", bearer],
    ["a public answer", "/api/meta", {}],
    ["the document", "/api/openapi.json", {}],
    ["a 401", "/api/models", {}],
    ["a 404", `/api/projects/${absent}`, bearer],
    ["a public 404", `/api/shared-previews/${absent}`, {}],
  ];
  test.each(asked)("%s", async (_, path, headers) => {
    const address = path === "/messages" ? session + path : path;
    const once = await exchange(world.baseUrl, { path: address, headers });
    const again = await exchange(world.baseUrl, { path: address, headers });
    expect(once.headers["x-request-id"]).toEqual(expect.stringMatching(/\S/));
    expect(again.headers["x-request-id"]).not.toBe(once.headers["x-request-id"]);
    expect(once.headers["cache-control"]).toBe("no-store");
    expect(once.headers["content-type"]).toMatch(/^application\/json/);
    expect(once.headers["x-content-type-options"]).toBe("nosniff");
    expect(once.headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'");
  });
});

describe("a client that has the current response gets 304 without a body", () => {
  const absentTag = '"another"';
  test.each([
    ["/api/openapi.json", {}],
    ["/api/models", bearer],
  ])("%s", async (path, headers) => {
    const ask = (known?: string) =>
      exchange(world.baseUrl, { path, headers: { ...headers, ...(known && { "if-none-match": known }) } });
    const first = await ask();
    const tag = String(first.headers.etag);
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    for (const known of [tag, `W/${tag}`, `${absentTag}, ${tag}`, "*"]) {
      const { status, text, headers: sent } = await ask(known);
      expect([known, status, text, sent.etag]).toEqual([known, 304, "", tag]);
    }
    const changed = await ask(absentTag);
    expect([changed.status, changed.text]).toEqual([200, first.text]);
  });

  test("but a stranger is refused, and other responses have no ETag", async () => {
    const stranger = await exchange(world.baseUrl, { path: "/api/models", headers: { "if-none-match": "*" } });
    expectRefusal(stranger, 401, "UNAUTHORIZED");
    const plain = await exchange(world.baseUrl, { path: session, headers: { ...bearer, "if-none-match": "*" } });
    expect([plain.status, plain.headers.etag]).toEqual([200, undefined]);
  });
});

test("timestamps are ISO 8601 UTC with milliseconds", async () => {
  const { createdAt, updatedAt, startedAt } = (await owner.get(session)).body.data.session;
  for (const timestamp of [createdAt, updatedAt, startedAt]) {
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
});

describe("a browser that a person steers gets a page", () => {
  const headers = { accept: "text/html,*/*;q=0.8", "sec-fetch-mode": "navigate" };
  test.each([
    ["/api/organizations", 401, "You are not signed in"],
    ["/api/chat-session", 404, "The nearest is"],
  ])("at %s", async (path, status, words) => {
    const answer = await exchange(world.baseUrl, { path, headers });
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toContain("text/html");
    expect(answer.headers.vary).toBe("Accept, Authorization, Sec-Fetch-Mode");
    expect(answer.text).toContain(words);
  });

  test("and Vary names the headers that decide", async () => {
    const vary = async (path: string, sent: Record<string, string>) =>
      (await exchange(world.baseUrl, { path, headers: sent })).headers.vary;
    const decisive = "Accept, Authorization, Sec-Fetch-Mode";
    expect(await vary(session, bearer)).toBe(decisive);
    expect(await vary(session, headers)).toBe(decisive);
    expect(await vary(`/api/projects/${absent}`, bearer)).toBe(decisive);
    expect(await vary("/api/models", bearer)).toBeUndefined();
  });

  test("and a client with a key the envelope", async () => {
    const answer = await exchange(world.baseUrl, {
      path: `/api/projects/${absent}`,
      headers: { ...headers, ...bearer },
    });
    expectRefusal(answer, 404, "NOT_FOUND");
  });
});
