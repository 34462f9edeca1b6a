// The required shape of a body. Any mistake returns 400 VALIDATION_ERROR and is named.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";

const world = apiWorld();
const owner = createClient(world);
let session: string;
beforeAll(async () => {
  session = (await owner.createSession({ title: "Validation" })).path;
});

type Method = "POST" | "PUT" | "DELETE";
const token = "0a".repeat(32);
const phone = { token, bundleId: "com.example.app", environment: "sandbox", platform: "ios" };
const watch = { ...phone, platform: "watchos", installationId: "installation", generation: 1 };
const lacking = (device: object, name: string) =>
  Object.fromEntries(Object.entries(device).filter(([key]) => key !== name));

const routes = {
  create: (): [Method, string] => ["POST", owner.sessions],
  send: (): [Method, string] => ["POST", `${session}/jobs/chat`],
  write: (): [Method, string] => ["PUT", `${session}/preview/files/content`],
  commit: (): [Method, string] => ["POST", `${session}/preview/git/commit`],
  share: (): [Method, string] => ["POST", `/api/projects/${world.projectId}/preview/share`],
  unshare: (): [Method, string] => ["DELETE", `/api/projects/${world.projectId}/preview/share`],
  deploy: (): [Method, string] => ["POST", `/api/projects/${world.projectId}/settings/agentic-deploy`],
  register: (): [Method, string] => ["POST", "/api/push/devices"],
  unregister: (): [Method, string] => ["DELETE", "/api/push/devices"],
  cancel: (): [Method, string] => ["POST", `${session}/jobs/chat/${randomUUID()}/cancel`],
};
type Route = keyof typeof routes;

const file = { path: "README.md", content: "text", clientId: randomUUID() };
const without = (name: keyof typeof file) => Object.fromEntries(Object.entries(file).filter(([key]) => key !== name));

/** Route, what is wrong, the body, and the field that `details` must name. */
const mistakes: [Route, string, unknown, string][] = [
  ["send", "no content", {}, "content"],
  ["send", "content that is null", { content: null }, "content"],
  ["send", "content that is a number", { content: 5 }, "content"],
  ["send", "content that is a list", { content: ["hello"] }, "content"],
  ["send", "empty content", { content: "" }, "content"],
  ["send", "content of blanks", { content: " \n\t" }, "content"],
  ["send", "content of 200,001 characters", { content: "a".repeat(200_001) }, "content"],
  ["send", "a model that is no text", { content: "hi", model: 7 }, "model"],
  ["send", "a running job that is no UUID", { content: "hi", runningJobId: "1" }, "runningJobId"],
  ["deploy", "a message that is no text", { userResponse: 1 }, "userResponse"],
  ["deploy", "a message of 200,001 characters", { userResponse: "a".repeat(200_001) }, "userResponse"],
  ["deploy", "answers that are no list", { userResponse: "hi", answers: {} }, "answers"],
  ["deploy", "an answer without an option", { answers: [{ question: 0 }] }, "answers.0.option"],
  ["deploy", "a fresh Deploy that is a word", { userResponse: "hi", freshDeploy: "yes" }, "freshDeploy"],
  ["deploy", "a Deploy that is no UUID", { userResponse: "hi", runningDeployJobId: "1" }, "runningDeployJobId"],
  ["deploy", "an unknown field", { message: "hi" }, "message"],
  ["register", "no token", lacking(phone, "token"), "token"],
  ["register", "an odd token", { ...phone, token: "a".repeat(33) }, "token"],
  ["register", "a token of 30 digits", { ...phone, token: "a".repeat(30) }, "token"],
  ["register", "a token of 202 digits", { ...phone, token: "a".repeat(202) }, "token"],
  ["register", "a token that is not hexadecimal", { ...phone, token: "g".repeat(32) }, "token"],
  ["register", "no bundle id", lacking(phone, "bundleId"), "bundleId"],
  ["register", "a bundle id that is none", { ...phone, bundleId: "com example" }, "bundleId"],
  ["register", "an unknown environment", { ...phone, environment: "development" }, "environment"],
  ["register", "an unknown platform", { ...phone, platform: "android" }, "platform"],
  ["register", "a phone with an installation", { ...phone, installationId: "i" }, "installationId"],
  ["register", "a phone with a generation", { ...phone, generation: 1 }, "generation"],
  ["register", "a watch without a generation", lacking(watch, "generation"), "generation"],
  ["register", "a watch without an installation", lacking(watch, "installationId"), "installationId"],
  ["register", "a generation below 0", { ...watch, generation: -1 }, "generation"],
  ["register", "a generation that is not whole", { ...watch, generation: 1.5 }, "generation"],
  ["unregister", "a token that is none", { token: "abc" }, "token"],
  ["unregister", "no token", {}, "token"],
  ["create", "a title that is no text", { title: 5 }, "title"],
  ["create", "content that is no text", { content: { text: "hi" } }, "content"],
  ["create", "content of 200,001 characters", { content: "a".repeat(200_001) }, "content"],
  ["create", "a prompt that is no text", { status: "backlog", prompt: 1 }, "prompt"],
  ["create", "an unknown status", { status: "running" }, "status"],
  ["create", "a status that nobody starts with", { status: "under-review" }, "status"],
  ["create", "an unknown priority", { priority: "huge" }, "priority"],
  ["create", "a model that is no text", { model: 1 }, "model"],
  ["create", "a model that the catalog lacks", { model: "anthropic:nothing__high" }, "model"],
  ["create", "a model without a provider", { model: "opus__high" }, "model"],
  ["create", "an empty model", { model: "" }, "model"],
  ["create", "a Target Branch that is no text", { targetBranch: 1 }, "targetBranch"],
  ["create", "a Target Branch that git would take for an option", { targetBranch: "--all" }, "targetBranch"],
  ["write", "no path", without("path"), "path"],
  ["write", "no content", without("content"), "content"],
  ["write", "no client id", without("clientId"), "clientId"],
  ["write", "an empty path", { ...file, path: "" }, "path"],
  ["write", "a path of 2,049 characters", { ...file, path: "a".repeat(2_049) }, "path"],
  ["write", "content of 1,048,577 characters", { ...file, content: "a".repeat(1_048_577) }, "content"],
  ["write", "content that is a number", { ...file, content: 1 }, "content"],
  ["write", "a client id that is no UUID", { ...file, clientId: "me" }, "clientId"],
  ["write", "a client id that is a number", { ...file, clientId: 12 }, "clientId"],
  ["commit", "no message", {}, "message"],
  ["commit", "an empty message", { message: "" }, "message"],
  ["commit", "a message of 2,001 characters", { message: "a".repeat(2_001) }, "message"],
  ["commit", "a message that is no text", { message: { subject: "a" } }, "message"],
  ["share", "a session that is no text", { sessionId: 5 }, "sessionId"],
];

test.each(mistakes)("%s refuses %s", async (route, _, body, field) => {
  const [method, path] = routes[route]();
  const answer = await owner.call(method, path, body);
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: "VALIDATION_ERROR" });
  expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(field);
  for (const detail of answer.body.details) {
    expect(detail).toEqual({ path: expect.any(String), message: expect.stringMatching(/\S/) });
  }
});

test("every mistake of a body is named, not only the first", async () => {
  const answer = await owner.call("PUT", `${session}/preview/files/content`, { path: 1, content: 2, clientId: 3 });
  const named = answer.body.details.map((detail: { path: string }) => detail.path);
  expect(named.sort()).toEqual(["clientId", "content", "path"]);
});

describe("a body that is not a JSON object is refused", () => {
  const bodies: Record<string, string> = {
    "no body": "",
    blanks: "  \n",
    "half an object": '{"content":',
    "two objects": '{"content":"a"}{"content":"b"}',
    "single quotes": "{'content':'a'}",
    "a trailing comma": '{"content":"a",}',
    "not a number": '{"content":NaN}',
    "a form": "content=hello",
    "a list": '[{"content":"a"}]',
    null: "null",
    "a text": '"content"',
    "a number": "42",
    "deep nesting": "[".repeat(100_000),
  };
  const required = (["send", "write", "commit"] as const).flatMap((route) =>
    Object.keys(bodies).map((name): [Route, string] => [route, name]),
  );
  test.each(required)("%s: %s", async (route, name) => {
    const [method, path] = routes[route]();
    const answer = await owner.call(method, path, bodies[name]);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: "VALIDATION_ERROR" });
    expect(answer.body.details).toEqual(expect.any(Array));
  });

  test("a missing field is reported as required", async () => {
    const answer = await owner.call(...routes.write(), "{}");
    expect(answer.body).toEqual({
      error: "path is required.",
      code: "VALIDATION_ERROR",
      details: ["path", "content", "clientId"].map((path) => ({ path, message: "is required" })),
    });
  });

  test("invalid UTF-8", async () => {
    const response = await fetch(`${world.baseUrl}${session}/jobs/chat`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.users.owner.apiKey}`, "content-type": "application/json" },
      body: Buffer.from('{"content":"caf\xe9"}', "latin1"),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual(expect.objectContaining({ code: "VALIDATION_ERROR" }));
  });
});

describe("an unknown name is refused and named, with the nearest known name", () => {
  const near = (name: string) => `is not known here; did you mean ${name}?`;
  const unknown = "is not known here";
  const bodies: [Route, unknown, string, string][] = [
    ["send", { content: "hi", modle: "anthropic:opus__high" }, "modle", near("model")],
    ["send", { content: "hi", Model: "anthropic:opus__high" }, "Model", near("model")],
    ["send", { content: "hi", userResponse: "yes" }, "userResponse", unknown],
    [
      "send",
      { content: "hi", previewContext: { frontendName: "web", path: "/", paht: "/" } },
      "previewContext.paht",
      near("path"),
    ],
    ["create", { titel: "Misspelt" }, "titel", near("title")],
    ["create", { constructor: "x" }, "constructor", unknown],
    ["write", { ...file, encoding: "utf8" }, "encoding", unknown],
    ["commit", { message: "m", all: true }, "all", unknown],
    ["share", { session_id: randomUUID() }, "session_id", near("sessionId")],
    ["cancel", { reason: "enough" }, "reason", unknown],
    ["unshare", { sessionId: randomUUID() }, "sessionId", unknown],
  ];
  test.each(bodies)("in the body of %s: %j", async (route, body, path, message) => {
    const answer = await owner.call(...routes[route](), body);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR", error: expect.stringContaining(path), details: [{ path, message }] },
    });
  });

  const queries: [string, string, string][] = [
    ["/jobs/chat?pagesize=5", "pagesize", near("pageSize")],
    ["/jobs/chat?pageSize=5&pgae=2", "pgae", near("page")],
    ["/messages?colour=5", "colour", unknown],
    ["?fields=id", "fields", unknown],
    ["/preview/files/content?file=README.md&path=README.md", "file", unknown],
  ];
  test.each(queries)("in the query of %s", async (of, path, message) => {
    const answer = await owner.get(session + of);
    expect(answer).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR", details: [{ path, message }] } });
  });

  test("in the query of a public route, and together with other mistakes", async () => {
    const open = await owner.get("/api/shared-previews/nothing?verbose=1");
    expect(open.body.details).toEqual([{ path: "verbose", message: unknown }]);
    const both = await owner.get(`${session}/jobs/chat?page=0&pagesize=1`);
    expect(both).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
    expect(both.body.details.map(({ path }: { path: string }) => path).sort()).toEqual(["page", "pagesize"]);
  });

  test("in a form", async () => {
    const form = new FormData();
    for (const [name, text] of [
      ["content", "hi"],
      ["attachmentCount", "0"],
      ["runningJob", randomUUID()],
    ] as const)
      form.set(name, text);
    const response = await fetch(`${world.baseUrl}${session}/jobs/chat`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.users.owner.apiKey}` },
      body: form,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ path: "runningJob", message: near("runningJobId") }] });
  });

  test("but a body with thousands of them gets a short error", async () => {
    const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`${at}`.padEnd(30, "x"), at]));
    const answer = await owner.call(...routes.send(), { content: "hi", ...body, ["y".repeat(10_000)]: 1 });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
  });

  test.each(["", "  ", "{}", "null"])("and a route without a body accepts none: %j", async (body) => {
    expect((await owner.call(...routes.cancel(), body)).status).toBe(404);
  });
});

describe("errors are in plain words", () => {
  const words: [Route, unknown, Record<string, string>][] = [
    ["send", { content: 5 }, { content: "must be text" }],
    ["send", { content: "a".repeat(200_001) }, { content: "must have at most 200,000 characters" }],
    ["send", { content: "hi", runningJobId: "1" }, { runningJobId: "must be a UUID" }],
    ["send", { content: "hi", diffCommentsContext: "all" }, { diffCommentsContext: "must be a list" }],
    ["send", { content: "hi", previewContext: [] }, { previewContext: "must be an object" }],
    ["create", { status: "running" }, { status: "must be active or backlog" }],
    ["write", { ...file, path: "" }, { path: "must not be empty" }],
    ["commit", [], { "": "must be an object" }],
  ];
  test.each(words)("%s %j", async (route, body, expected) => {
    const { details } = (await owner.call(...routes[route](), body)).body;
    const said = details.map(({ path, message }: { path: string; message: string }) => [path, message]);
    expect(Object.fromEntries(said)).toMatchObject(expected);
  });

  test("and never in the words of the library", async () => {
    for (const [route, , body] of mistakes) {
      const { error, details } = (await owner.call(...routes[route](), body)).body;
      expect(JSON.stringify([error, details])).not.toMatch(/invalid|expected|received|too (small|big)|unrecognized/i);
      expect(error).toMatch(/[.?]$/);
    }
  });
});

test("nothing of a refused body is stored: the session has no message and no job", async () => {
  expect((await owner.get(`${session}/jobs/chat`)).body.data).toEqual([]);
  expect(await owner.messages(session)).toEqual([]);
});

describe("page and pageSize are integers from 1 on", () => {
  const bad = ["0", "-1", "1.5", "abc", "", "NaN", "Infinity", "0x10", "1.0", "%201", "1e-3", "%00"];
  const badAsPage = ["page=1e3", "page=1e400", "page=99999999999999999999"];
  test.each([...bad.flatMap((value) => [`page=${value}`, `pageSize=${value}`]), ...badAsPage])(
    "%s returns 400",
    async (query) => {
      const answer = await exchange(world.baseUrl, {
        path: `${session}/jobs/chat?${query}`,
        headers: { authorization: `Bearer ${world.users.owner.apiKey}` },
      });
      expect(answer.status).toBe(400);
    },
  );

  test.each([
    ["", { page: 1, pageSize: 25 }],
    ["?pageSize=100", { page: 1, pageSize: 100 }],
    ["?pageSize=101", { page: 1, pageSize: 100 }],
    ["?pageSize=99999999999999999999", { page: 1, pageSize: 100 }],
    ["?pageSize=1e30", { page: 1, pageSize: 100 }],
    ["?page=9007199254740991&pageSize=100", { page: 9_007_199_254_740_991, pageSize: 100 }],
  ])("%s is parsed correctly", async (query, read) => {
    const answer = await owner.get(`${session}/jobs/chat${query}`);
    expect(answer.status).toBe(200);
    expect(answer.body.meta.pagination).toEqual({ ...read, totalPages: 0, total: 0, hasMore: false });
  });
});
