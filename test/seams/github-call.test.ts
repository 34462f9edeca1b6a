// Failing calls to GitHub: which are retried, and the refusals of the others.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { readHostUser } from "../../src/account/code-host-sign-in.ts";
import { type Credential, createGithubCall, noAccess } from "../../src/code-host/github/call.ts";
import { createGithub } from "../../src/code-host/github/github.ts";

type Planned = [status: number, headers?: Record<string, string>, body?: string];
const close: (() => void)[] = [];
afterEach(() => {
  for (const each of close.splice(0)) each();
});

/** A host that gives these answers in order, and then repeats the last one. */
async function startHost(...plan: [Planned, ...Planned[]]) {
  let asked = 0;
  const server = createServer((_, response) => {
    const [status, headers = {}, body = "{}"] = plan[Math.min(asked, plan.length - 1)] ?? plan[0];
    asked += 1;
    response.writeHead(status, headers).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  close.push(() => server.close().closeAllConnections());
  return { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

/** Calls such a host. Answers the requests and the result. */
const startPlannedHost = (...plan: [Planned, ...Planned[]]) =>
  startAskedHost(async (refused) => (refused ? noAccess : "t"), ...plan);
async function startAskedHost(credential: Credential, ...plan: [Planned, ...Planned[]]) {
  const { apiUrl, asked } = await startHost(...plan);
  const call = createGithubCall({ apiUrl, credential });
  const answer = await call({ method: "GET", path: "/x" }, AbortSignal.timeout(8_000));
  return { answer, asked: asked() };
}

const fine: Planned = [200, {}, '{"fine":true}'];
const inAnHour = () => String(Math.floor(Date.now() / 1_000) + 3_600);

test.each([500, 502, 503, 504, 429])("%s is retried, and a later response is returned", async (status) => {
  expect(await startPlannedHost([status], [status], fine)).toEqual({ answer: { fine: true }, asked: 3 });
});

test("a host that keeps failing is called three times", async () => {
  const { answer, asked } = await startPlannedHost([503]);
  expect(asked).toBe(3);
  expect(answer).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringContaining("Try again") });
});

test.each([400, 401, 404, 405, 409, 422])("%s is not retried", async (status) => {
  expect((await startPlannedHost([status], fine)).asked).toBe(1);
});

test("a refused credential is replaced once, and the call is repeated", async () => {
  const refused: (string | undefined)[] = [];
  const credential: Credential = async (old) => `token ${refused.push(old)}`;
  expect(await startAskedHost(credential, [401], fine)).toEqual({ answer: { fine: true }, asked: 2 });
  expect(refused).toEqual([undefined, "token 1"]);
  const { answer, asked } = await startAskedHost(credential, [401]);
  expect(asked).toBe(2);
  expect(answer).toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: expect.stringContaining("Install the service's app"),
  });
});

test("a short limit is waited for", async () => {
  expect(await startPlannedHost([403, { "retry-after": "1" }], fine)).toEqual({ answer: { fine: true }, asked: 2 });
});

test.each<[string, Record<string, string>, RegExp]>([
  ["Retry-After", { "retry-after": "40" }, /Try again in 40 s\.$/],
  ["the hour's end", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inAnHour() }, /Try again in \d\d min\.$/],
  ["no end", { "x-ratelimit-remaining": "0" }, /Try again in 1 min\.$/],
])("a long rate limit is reported with its end: %s", async (_, headers, message) => {
  for (const status of [403, 429]) {
    const { answer, asked } = await startPlannedHost([status, headers], fine);
    expect(asked).toBe(1);
    expect(answer).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringMatching(message) });
    expect(answer).toMatchObject({ retryAfterSeconds: expect.any(Number) });
  }
});

test("a secondary rate limit, which only its text names, is a rate limit", async () => {
  const body = JSON.stringify({ message: "You have exceeded a secondary rate limit. Please wait a few minutes." });
  for (const status of [403, 429]) {
    const { answer, asked } = await startPlannedHost([status, {}, body], fine);
    expect([asked, answer]).toEqual([1, expect.objectContaining({ retryAfterSeconds: 60 })]);
  }
});

test("a refused access says what to do", async () => {
  for (const status of [401, 403]) {
    const { answer } = await startPlannedHost([status]);
    expect(answer).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: expect.stringContaining("Install the service's app"),
    });
  }
});

test("a refusal has the host's message, up to a limit", async () => {
  const body = JSON.stringify({ message: "Validation Failed", errors: [{ message: "No commits between a and b" }] });
  const told = {
    code: "BAD_REQUEST",
    message: "The code host refused: Validation Failed No commits between a and b",
  };
  expect((await startPlannedHost([422, {}, body])).answer).toEqual(told);
  const long = await startPlannedHost([422, {}, JSON.stringify({ message: "x".repeat(10_000) })]);
  expect(JSON.stringify(long.answer).length).toBeLessThan(500);
  expect((await startPlannedHost([422, {}, "<html>"])).answer).toMatchObject({
    message: "The code host refused: no reason given",
  });
});

test("a response that is not JSON is an error", async () => {
  expect((await startPlannedHost([200, {}, "<html>"])).answer).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
});

test("a rate limit in a successful GraphQL response is a rate limit", async () => {
  const pull = { number: 1, node_id: "PR_1", state: "open", draft: true, head: { sha: "a" }, base: { ref: "main" } };
  const refusal = { data: null, errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }] };
  const { apiUrl } = await startHost([200, {}, JSON.stringify(pull)], [200, {}, JSON.stringify(refusal)]);
  const marked = await createGithub({ apiUrl, tokenFor: async () => "t" }).markReady("acme/board", 1);
  expect(marked).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 60 });
});

test.each<[string, Planned, object]>([
  ["the app may not read them", [403], { email: null }],
  ["the app was never to read them", [404], { email: null }],
  ["the host fails", [502], { code: "SERVICE_UNAVAILABLE", message: expect.stringContaining("Try again") }],
  ["the host takes no more", [429, { "retry-after": "40" }], { message: expect.stringContaining("Try again in 40 s") }],
])(
  "a user whose addresses are unavailable, for %s, has none only if that does not change",
  async (_, emails, expected) => {
    const { apiUrl } = await startHost([200, {}, '{"id":1,"login":"ada"}'], emails);
    const registered = { clientId: "c", clientSecret: "s", callbackUrl: "http://service.test/back" };
    expect(await readHostUser({ webUrl: apiUrl, apiUrl, ...registered }, "a token")).toMatchObject(expected);
  },
);
