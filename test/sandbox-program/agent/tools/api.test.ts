// The api tool: calls of an agent to the service, with a key that the agent does not have.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createApiTool } from "../../../../sandbox-program/agent/tools/reading/api.ts";
import { readingAnswerBytes } from "../../../../src/rules/limits.ts";
import { createRedaction } from "../../../../src/rules/redaction.ts";
import { type ServiceApi, startServiceApi } from "../../support/service-api.ts";

const token = "svc_crn_0123456789abcdefghij";
let service: ServiceApi;
beforeAll(async () => {
  service = await startServiceApi();
});
beforeEach(() => {
  service.calls.length = 0;
});
afterAll(() => service?.stop());

const call = (input: unknown) =>
  createApiTool({ api: { url: service.url, token, projectId: "p" }, redaction: createRedaction([token]) }).run(
    input,
    new AbortController().signal,
  );

test("a call carries the key and the body, and answers the status and the body", async () => {
  service.answers.push({ status: 201, body: '{"data":1}' });
  const answer = await call({ method: "POST", path: "/api/projects/p/chat-sessions?x=1", body: { title: "T" } });
  expect(answer).toEqual({ text: 'HTTP 201\n{"data":1}', endsTurn: false, event: null });
  const [sent] = service.calls;
  expect([sent?.method, sent?.path, sent?.headers.authorization, String(sent?.body)]).toEqual([
    "POST",
    "/api/projects/p/chat-sessions?x=1",
    `Bearer ${token}`,
    '{"title":"T"}',
  ]);
});

test("a refusal is returned unchanged", async () => {
  service.answers.push({ status: 403, body: '{"error":"no","code":"FORBIDDEN"}' });
  expect((await call({ method: "DELETE", path: "/api/x" })).text).toBe('HTTP 403\n{"error":"no","code":"FORBIDDEN"}');
});

test("the key is redacted in an answer, also where the answer is cut", async () => {
  const head = "x".repeat(readingAnswerBytes - "HTTP 200\n".length - 10);
  service.answers.push({ status: 200, body: `${token} and ${token}` }, { status: 200, body: `${head}${token}tail` });
  expect((await call({ method: "GET", path: "/api/x" })).text).toBe("HTTP 200\n[redacted] and [redacted]");
  const { text } = await call({ method: "GET", path: "/api/x" });
  expect(text).toContain("[The first 32 KiB.");
  expect(text).not.toContain(token.slice(0, 6));
});

test("a long answer is cut at 32 KiB, and no character in half", async () => {
  service.answers.push({ status: 200, body: "é".repeat(2 * readingAnswerBytes) });
  const [shown = ""] = (await call({ method: "GET", path: "/api/x" })).text.split("\n\n[");
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(readingAnswerBytes);
  expect(Buffer.byteLength(shown)).toBeGreaterThan(readingAnswerBytes - 4);
  expect(shown).not.toContain("\ufffd");
});

test("an answer that breaks off gives what came", async () => {
  service.answers.push({ status: 200, body: "data: one", breaksOff: true });
  expect((await call({ method: "GET", path: "/api/events" })).text).toBe("HTTP 200\ndata: one");
});

test.each([
  "https://elsewhere.example/api/x",
  "//elsewhere.example/api/x",
  "/internal/tools",
  "/api/../internal/tools",
  "/api/%2e%2e/internal/tools",
  "/api\\..\\internal",
  "api/x",
  "",
  null,
])("the path %j gets no key", async (path) => {
  await expect(call({ method: "GET", path })).rejects.toThrow("`path` begins with /api/");
  expect(service.calls).toEqual([]);
});

test("another method is refused", async () => {
  await expect(call({ method: "TRACE", path: "/api/x" })).rejects.toThrow("`method` is one of");
});
