// Calls of the library: what is sent, what comes back, and what is tried again.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createHttp } from "../../packages/client/src/http.ts";
import {
  ConnectionError,
  type OperationName,
  refused,
  type Schemas,
  Switchyard,
  SwitchyardError,
} from "../../packages/client/src/index.ts";
import { Session } from "../../packages/client/src/session.ts";
import { scriptedService } from "./support/scripted-service.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const session = { projectId: "p", sessionId: "s" };
const read = "GET /api/models";
const put = "PUT /api/projects/{projectId}/chat-sessions/{sessionId}";
const patch = "PATCH /api/projects/{projectId}";
const send = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat";
const cancel = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat/{jobId}/cancel";

/** Each kind of call, with what it takes. */
const calls = {
  read: [read, {}],
  put: [put, { path: session, body: { title: "New" } }],
  patch: [patch, { path: session, body: { name: "New" } }],
  keyed: [send, { path: session, body: { content: "Hello" }, idempotencyKey: "one" }],
  unkeyed: [send, { path: session, body: { content: "Hello" } }],
  unseen: ["GET /api/activity", { query: { markSeen: false } }],
  marking: ["GET /api/activity", { query: { markSeen: true } }],
} as const;

const refusal = (status: number, code: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: { error: "No.", code },
});

/** The tries of a call that is always answered with the same. */
const table: [kind: keyof typeof calls, answer: ReturnType<typeof refusal> | "cut", tries: number][] = [
  ["read", refusal(429, "TOO_MANY_REQUESTS", { "retry-after": "1" }), 5],
  ["read", refusal(503, "SERVICE_UNAVAILABLE"), 5],
  ["read", refusal(500, "INTERNAL_ERROR"), 5],
  ["read", refusal(409, "SANDBOX_STARTING"), 5],
  ["read", refusal(404, "NOT_FOUND"), 1],
  ["read", refusal(501, "INTERNAL_ERROR"), 1],
  ["read", "cut", 5],
  ["put", refusal(502, "SERVICE_UNAVAILABLE"), 5],
  ["put", refusal(409, "SESSION_UPDATING"), 5],
  ["put", refusal(409, "JOB_ACTIVE"), 1],
  ["put", "cut", 5],
  ["patch", refusal(429, "TOO_MANY_REQUESTS", { "retry-after": "2" }), 5],
  ["patch", refusal(409, "CRON_RUN_STARTING"), 5],
  ["patch", refusal(503, "SERVICE_UNAVAILABLE"), 1],
  ["patch", "cut", 1],
  ["keyed", refusal(504, "SERVICE_UNAVAILABLE"), 5],
  ["keyed", refusal(409, "JOB_IN_PROGRESS"), 5],
  ["keyed", refusal(409, "QUEUE_FULL"), 1],
  ["keyed", refusal(409, "JOB_STOPPED"), 1],
  ["keyed", "cut", 5],
  ["unkeyed", refusal(409, "SANDBOX_STARTING"), 5],
  ["unkeyed", refusal(500, "INTERNAL_ERROR"), 1],
  ["unkeyed", "cut", 1],
  ["unseen", "cut", 5],
  ["marking", refusal(429, "TOO_MANY_REQUESTS", { "retry-after": "1" }), 5],
  ["marking", refusal(503, "SERVICE_UNAVAILABLE"), 1],
  ["marking", "cut", 1],
];

test.each(table)("%s answered with %j is tried %i times", async (kind, answer, tries) => {
  const service = scriptedService(answer);
  const [operation, input] = calls[kind];
  const failure = createHttp(service.settings)
    .call(operation, input)
    .catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await failure).toBeInstanceOf(answer === "cut" ? ConnectionError : SwitchyardError);
  expect(service.requests.length).toBe(tries);
  // A repeat is the same request.
  expect(new Set(service.requests.map(({ url, body, headers }) => JSON.stringify([url, body, headers]))).size).toBe(1);
});

test("a call that is refused first succeeds later, and resolves with what is under data", async () => {
  const models = [{ value: "practice" }];
  const service = scriptedService(refusal(503, "SERVICE_UNAVAILABLE"), "cut", { status: 200, body: { data: models } });
  const answer = createHttp(service.settings).call(read, {});
  await vi.runAllTimersAsync();
  expect((await answer).data).toEqual(models);
});

test.each([
  ["read", false],
  ["unkeyed", true],
] as const)("a %s call without a response may have happened: %s", async (kind, mayHaveHappened) => {
  const [operation, input] = calls[kind];
  const failure = createHttp(scriptedService("cut").settings)
    .call(operation, input)
    .catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await failure).toMatchObject({ mayHaveHappened, operation });
});

test("a service that asks for a long pause is not waited for", async () => {
  const service = scriptedService(refusal(429, "TOO_MANY_REQUESTS", { "retry-after": "3600" }));
  await expect(createHttp(service.settings).call(read, {})).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
  expect(service.requests.length).toBe(1);
});

test("a refusal has its code, status, request id and operation", async () => {
  const details = [{ path: "content", message: "is required" }];
  const body = { error: "content is required.", code: "VALIDATION_ERROR", details };
  const service = scriptedService({ status: 400, headers: { "x-request-id": "r-1" }, body });
  const error: unknown = await createHttp(service.settings)
    .call(send, calls.unkeyed[1])
    .catch((failure) => failure);
  expect(error).toMatchObject({ message: body.error, status: 400, requestId: "r-1", operation: send });
  expect(refused(error, send) && error.failure).toEqual({ code: "VALIDATION_ERROR", details });
});

test.each([
  [502, "<html>Bad gateway</html>", "SERVICE_UNAVAILABLE"],
  [404, "null", "BAD_REQUEST"],
])("a %i that is not of the service has a code by its status", async (status, text, code) => {
  const service = scriptedService({ status, text });
  const http = createHttp({ ...service.settings, retries: 0 });
  await expect(http.call(read, {})).rejects.toMatchObject({ status, failure: { code } });
});

test("a key that comes from a function is asked for once more after a 401", async () => {
  const keys = ["old", "new"];
  const ok = { status: 200, body: { data: [] } };
  const service = scriptedService(refusal(401, "UNAUTHORIZED"), ok);
  await createHttp({ ...service.settings, apiKey: async () => keys.shift() ?? "none" }).call(read, {});
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
  const fixed = scriptedService(refusal(401, "UNAUTHORIZED"));
  await expect(createHttp(fixed.settings).call(read, {})).rejects.toMatchObject({ status: 401 });
  expect(fixed.requests.length).toBe(1);
});

test("without a key no credential is sent", async () => {
  const service = scriptedService({ status: 200, body: { data: [] } });
  await createHttp({ ...service.settings, apiKey: null }).call(read, {});
  expect(service.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("path parameters are encoded, lists repeat a name, and what is undefined is not sent", async () => {
  const service = scriptedService({ status: 200, body: { data: {} } });
  const http = createHttp({ ...service.settings, client: "bot/1.0" });
  await http.call("GET /api/projects/{projectId}", {
    path: { projectId: "a/b c" },
    query: { status: ["active", "backlog"], search: undefined, needsYou: true },
  });
  const [request] = service.requests;
  expect(request?.url).toBe("https://service.test/api/projects/a%2Fb%20c?status=active&status=backlog&needsYou=true");
  expect(request?.headers["x-client-version"]).toMatch(/^bot\/1\.0 client\/\d/);
  await expect(http.call(cancel, { path: session })).rejects.toThrow(/jobId/);
});

test.each([
  ["application/json", {}, '{"data":{"one":1}}', { one: 1 }],
  ["application/json", {}, '{"openapi":"3.1.0"}', { openapi: "3.1.0" }],
] as const)("%s with %j is read as what it is", async (type, headers, text, data) => {
  const service = scriptedService({ status: 200, headers: { "content-type": type, ...headers }, text });
  expect((await createHttp(service.settings).call(read, {})).data).toEqual(data);
});

test.each(["application/json", "text/plain; charset=utf-8"])(
  "a file of a user is bytes, also where it is %s",
  async (type) => {
    const headers = { "content-type": type, "content-disposition": "attachment" };
    const service = scriptedService({ status: 200, headers, text: '{"data":1}' });
    const { data } = await createHttp(service.settings).call(read, {});
    expect(data instanceof Blob && (await data.text())).toBe('{"data":1}');
  },
);

test("a signal ends a call that waits, with its reason", async () => {
  const service = scriptedService(refusal(503, "SERVICE_UNAVAILABLE"));
  const controller = new AbortController();
  const failure = createHttp(service.settings)
    .call(read, { signal: controller.signal })
    .catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1);
  controller.abort("enough");
  expect(await failure).toBe("enough");
});

test("pages follow each other by number or by cursor, until there are no more", async () => {
  const { Switchyard } = await import("../../packages/client/src/index.ts");
  const numbered = (page: number, hasMore: boolean) => ({
    status: 200,
    body: { data: [page], meta: { pagination: { page, hasMore } } },
  });
  const byNumber = scriptedService(numbered(1, true), numbered(2, true), numbered(3, false));
  const listed: unknown[] = [];
  for await (const item of new Switchyard(byNumber.settings).pages("GET /api/chat-sessions", {
    query: { search: "a" },
  }))
    listed.push(item);
  expect(listed).toEqual([1, 2, 3]);
  const pages = byNumber.requests.map(({ url }) => new URL(url).search);
  expect(pages).toEqual(["?search=a", "?search=a&page=2", "?search=a&page=3"]);

  const cursor = (nextCursor: string | null) => ({
    status: 200,
    body: { data: [nextCursor], meta: { pagination: { hasMore: nextCursor !== null, nextCursor } } },
  });
  const byCursor = scriptedService(cursor("c1"), cursor(null));
  const paged: OperationName = "GET /api/activity";
  for await (const item of new Switchyard(byCursor.settings).pages(paged)) listed.push(item);
  expect(byCursor.requests.map(({ url }) => new URL(url).search)).toEqual(["", "?cursor=c1"]);
});

test.each([
  [null, "/svc:sync-branch", "/svc:open-pr -d"],
  ["anthropic:claude-opus-5-5__high", "/svc:sync-branch", "/svc:open-pr -d"],
  ["openai:gpt__high", "$svc:sync-branch", "$svc:open-pr -d"],
])(
  "on the model %s, the skills of pull requests are called by the characters that it takes",
  async (model, ...texts) => {
    const service = scriptedService({ status: 201, body: { data: { delivery: "job", chatJobId: "j" } } });
    const data = { id: "s", projectId: "p", model } as Schemas["Session"];
    const open = new Session(createHttp(service.settings), data);
    await open.syncBranch();
    await open.openPullRequest({ draft: true });
    expect(service.requests.map(({ body }) => JSON.parse(String(body)).content)).toEqual(texts);
  },
);

const comment = { filePath: "a.ts", side: "new", startLineNumber: 1, endLineNumber: 1, body: "Why?" } as const;
test.each<[call: string, (session: Session) => Promise<unknown>]>([
  ["push", (open) => open.push()],
  ["commit", (open) => open.commit("Sort by time")],
  ["comments.add", (open) => open.comments.add(comment)],
])("%s is tried again with the same key after a cut connection", async (_, run) => {
  const service = scriptedService("cut", { status: 200, body: { data: {} } });
  const open = new Session(createHttp(service.settings), { id: "s", projectId: "p" } as Schemas["Session"]);
  const done = run(open);
  await vi.runAllTimersAsync();
  await done;
  const keys = service.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
});

test("the text of a pull request brings no flags and no reviewers", async () => {
  const service = scriptedService({ status: 201, body: { data: { delivery: "job", chatJobId: "j" } } });
  const open = new Session(createHttp(service.settings), { id: "s", projectId: "p" } as Schemas["Session"]);
  await open.openPullRequest({ text: "Why -d matters." });
  await open.openPullRequest({ reviewers: ["mia", "noor"], text: "Sort by time." });
  await open.openPullRequest({ text: "" });
  expect(service.requests.map(({ body }) => JSON.parse(String(body)).content)).toEqual([
    "/svc:open-pr -- Why -d matters.",
    "/svc:open-pr -r mia,noor -- Sort by time.",
    "/svc:open-pr",
  ]);
});

describe("a preview that is waited for", () => {
  const asleep = { data: { frontendUrls: {} } };
  const awake = { data: { frontendUrls: { web: "https://web.test/" } } };
  const health = { state: "starting", indeterminate: false, paused: false, needsStart: false };
  const toHealth = (fields: object) => ({ status: 200, body: { data: { ...health, ...fields } } });
  const toRead = (body: object) => ({ status: 200, body });

  function open(...answers: Parameters<typeof scriptedService>) {
    const service = scriptedService(...answers);
    const data = { id: "s", projectId: "p" } as Schemas["Session"];
    const { preview } = new Session(createHttp(service.settings), data);
    return { preview, listReads: () => service.requests.map(({ url }) => /preview(\/health)?/.exec(url)?.[0]) };
  }

  test.each([
    [{ sandboxLimitReached: true }, "SANDBOX_LIMIT_REACHED", 409],
    [{ creditLimitReached: true }, "CREDIT_LIMIT_REACHED", 402],
  ])("is refused with %j, by its read or its health", async (flags, code, status) => {
    const refusal = { status, failure: { code } };
    const full = toRead({ data: { ...asleep.data, ...flags } });
    const { preview, listReads } = open(full);
    await expect(preview.healthy()).rejects.toMatchObject(refusal);
    await expect(preview.awake()).rejects.toMatchObject(refusal);
    // What the flags are about stays until somebody changes it, so nothing is tried again.
    expect(listReads()).toEqual(["preview", "preview"]);
    await expect(open(toRead(asleep), toHealth(flags)).preview.healthy()).rejects.toMatchObject(refusal);
  });

  test.each([{ paused: true }, { needsStart: true }])("is woken again after %j", async (fields) => {
    const again = [toHealth(fields), toRead(asleep), toHealth({ state: "healthy" }), toRead(awake)];
    const { preview, listReads } = open(toRead(asleep), ...again);
    const read = preview.healthy();
    await vi.runAllTimersAsync();
    expect(await read).toEqual(awake.data);
    expect(listReads()).toEqual(["preview", "preview/health", "preview", "preview/health", "preview"]);
  });

  test("is not woken again by a read that learned nothing", async () => {
    const nothing = toHealth({ indeterminate: true, paused: true, sandboxLimitReached: true });
    const { preview, listReads } = open(toRead(asleep), nothing, toHealth({ state: "healthy" }), toRead(awake));
    const read = preview.healthy();
    await vi.runAllTimersAsync();
    expect(await read).toEqual(awake.data);
    expect(listReads()).toEqual(["preview", "preview/health", "preview/health", "preview"]);
  });

  test("is not read any longer once its signal is aborted", async () => {
    const { preview, listReads } = open("cut");
    const signal = AbortSignal.abort("enough");
    await expect(preview.healthy({ signal })).rejects.toBe("enough");
    await expect(preview.awake({ signal })).rejects.toBe("enough");
    expect(listReads()).toEqual(["preview", "preview"]);
  });
});

const id = "01890a5d-ac96-7000-8000-00000000000a";

test.each([
  id,
  `https://service.test/s/${id}`,
  `https://service.test/s/${id}?panel=changes`,
  `https://service.test/projects/01890a5d-ac96-7000-8000-00000000000b/chat-sessions/${id}#end`,
])("the session of %s is read by its id", async (ref) => {
  const { settings, requests } = scriptedService({ status: 200, body: { data: { session: { id, projectId: "p" } } } });
  expect((await new Switchyard(settings).sessions.get(ref)).id).toBe(id);
  expect(requests.map(({ url }) => url)).toEqual([`https://service.test/api/chat-sessions/${id}`]);
});
