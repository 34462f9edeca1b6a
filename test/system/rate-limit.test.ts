// The limits on requests of a key, and of visitors without one, in a world started as `npm start`
// starts it.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  apiKeyRequestsPerMinute,
  deviceSignInsPerMinute,
  failedCredentialsPerMinute,
  keyTrialsPerMinute,
  sharedArtifactRequestsPerMinute,
  sharedPreviewRequestsPerMinute,
} from "../../src/rules/limits.ts";
import { signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";

let world: RunningWorld;
beforeAll(async () => {
  world = await createWorld({ limitsRates: true });
  await world.start();
});
afterAll(() => world.remove());

const atATime = 10;

/**
 * Asks until a request is refused; two minutes' worth of requests always hold one that passes a
 * minute's limit.
 */
async function askUntilRefused<Answer extends { status: number }>(
  perMinute: number,
  ask: () => Promise<Answer>,
): Promise<{ allowed: number; refused: Answer | null }> {
  for (let allowed = 0; allowed <= 2 * perMinute; ) {
    // Together, so that a busy machine can also exceed the limit of a minute.
    const replies = await Promise.all(Array.from({ length: atATime }, ask));
    const refused = replies.find(({ status }) => status === 429);
    allowed += replies.filter(({ status }) => status !== 429).length;
    if (refused) return { allowed, refused };
  }
  return { allowed: 2 * perMinute, refused: null };
}

test("only a key with too many requests is refused, with the time to retry", async () => {
  const owner = createClient(world.address());
  const { allowed, refused } = await askUntilRefused(apiKeyRequestsPerMinute, () => owner.get("/api/models"));
  expect(refused).toMatchObject({ status: 429, body: { code: "TOO_MANY_REQUESTS" } });
  expect(allowed).toBeGreaterThanOrEqual(apiKeyRequestsPerMinute);
  expectToBeAMinuteAtMost(refused?.headers.get("retry-after"));
  expect((await createClient(world.address(), "member").get("/api/models")).status).toBe(200);
  expect((await (await signIn(world.address(), "owner")).call("GET", "/api/models")).status).toBe(200);
});

test.each([
  ["of their own", () => "/api/user/subscriptions/login/anthropic"],
  ["of a workspace", () => `/api/organizations/${world.address().workspaceId}/credentials/login/anthropic`],
])("only a person with too many steps of sign-ins at a provider, %s, is refused", async (_, path) => {
  const admin = createClient(world.address(), "admin");
  const { refused } = await askUntilRefused(keyTrialsPerMinute, () => admin.post(path()));
  expect(refused).toMatchObject({ status: 429, body: { code: "TOO_MANY_REQUESTS" } });
  const complete = () => admin.post(`${path()}/complete`, { loginToken: "svc_login_none", code: "a#b" });
  expect((await askUntilRefused(keyTrialsPerMinute, complete)).refused).toMatchObject({ status: 429 });
  // By a browser, because the key of the owner may have made too many requests in this minute.
  expect((await (await signIn(world.address(), "owner")).call("POST", path())).status).toBe(200);
});

const slug = "/api/shared-previews/nobody-made-this-slug";

test.each([
  ["shared previews", slug, sharedPreviewRequestsPerMinute],
  ["shared artifacts", `${slug}/artifacts/${randomUUID()}`, sharedArtifactRequestsPerMinute],
  ["the page of a link", "/shared/nobody-made-this-slug", sharedPreviewRequestsPerMinute],
])("only a visitor with too many requests for %s is refused, with the time to retry", async (_, path, most) => {
  const from = (address: string) =>
    exchange(world.address().baseUrl, { path, headers: { "cf-connecting-ip": address, accept: "text/html" } });
  const { allowed, refused } = await askUntilRefused(most, () => from("192.0.2.1"));
  expect(refused?.headers["cache-control"]).toBe("no-store");
  expect(allowed).toBeGreaterThanOrEqual(most);
  expectToBeAMinuteAtMost(refused?.headers["retry-after"]);
  expect((await from("2001:db8::1")).status).toBe(404);
});

test.each([
  ["sign-ins from a terminal", "/api/auth/device", { client: "sy", name: "laptop" }],
  ["clients of MCP", "/oauth/register", { redirect_uris: ["http://127.0.0.1/callback"] }],
])("only a visitor who starts too many %s is refused", async (_, path, body) => {
  const from = (address: string) =>
    exchange(world.address().baseUrl, {
      method: "POST",
      path,
      headers: { "cf-connecting-ip": address },
      body: JSON.stringify(body),
    });
  const { allowed, refused } = await askUntilRefused(deviceSignInsPerMinute, () => from("192.0.2.9"));
  expect(allowed).toBeGreaterThanOrEqual(deviceSignInsPerMinute);
  expectToBeAMinuteAtMost(refused?.headers["retry-after"]);
  expect((await from("192.0.2.10")).status).toBeLessThan(300);
});

test("a person who types too many codes of terminals waits", async () => {
  const { headers } = await signIn(world.address(), "owner");
  const form = { "content-type": "application/x-www-form-urlencoded", ...headers };
  let isRefused = false;
  for (let typed = 0; typed <= 2 * deviceSignInsPerMinute && !isRefused; typed++) {
    const sent = { method: "POST", path: "/device", headers: form, body: "code=BBBB-BBBB" };
    isRefused = (await exchange(world.address().baseUrl, sent)).text.includes("You have typed many codes.");
  }
  expect(isRefused).toBe(true);
});

test("only a visitor with too many wrong keys is refused, with the time to retry", async () => {
  const from = (address: string) =>
    exchange(world.address().baseUrl, {
      path: "/api/models",
      headers: { "cf-connecting-ip": address, authorization: `Bearer svc_key_${"x".repeat(43)}` },
    });
  const { refused } = await askUntilRefused(failedCredentialsPerMinute, () => from("192.0.2.7"));
  expectToBeAMinuteAtMost(refused?.headers["retry-after"]);
  expect((await from("192.0.2.8")).status).toBe(401);
});

function expectToBeAMinuteAtMost(seconds: string | null | undefined) {
  expect(Number(seconds)).toBeGreaterThanOrEqual(1);
  expect(Number(seconds)).toBeLessThanOrEqual(60);
}
