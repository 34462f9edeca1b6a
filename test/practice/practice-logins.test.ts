// The practice provider's logins: tokens that expire, and refresh tokens that work once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PracticeProvider, startPracticeProvider } from "../../practice/model-provider/provider.ts";

let provider: PracticeProvider;
beforeAll(async () => {
  provider = await startPracticeProvider();
});
afterAll(() => provider.close());

async function refresh(token: string, grantType = "refresh_token") {
  const body = new URLSearchParams({ grant_type: grantType, refresh_token: token, client_id: "c" });
  const answer = await fetch(`${provider.url}/kimi/oauth/token`, { method: "POST", body });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

async function readStatus(accessToken: string): Promise<number> {
  const answer = await fetch(`${provider.url}/kimi/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] }),
  });
  await answer.body?.cancel();
  return answer.status;
}

test("a refresh token works once, and the next one that it returns works too", async () => {
  const first = await refresh("practice-refresh-a.1");
  expect(first.status).toBe(200);
  expect(await refresh("practice-refresh-a.1")).toEqual({ status: 400, body: { error: "invalid_grant" } });
  expect((await refresh(first.body.refresh_token ?? "")).status).toBe(200);
  const count = await fetch(`${provider.url}/kimi/oauth/count`);
  expect(await count.json()).toEqual({ refreshes: 2 });
});

test("an access token is accepted until it expires", async () => {
  const { body } = await refresh("practice-refresh-b.1");
  expect(await readStatus(body.access_token ?? "")).toBe(200);
  expect(await readStatus(`practice-access-${Date.now() - 1}-b.1`)).toBe(401);
});

test.each([
  ["no-such-token", "refresh_token", "invalid_grant"],
  ["practice-refresh-c.1", "password", "unsupported_grant_type"],
])("%s for the grant %s is refused: %s", async (token, grant, error) => {
  expect(await refresh(token, grant)).toEqual({ status: 400, body: { error } });
});
