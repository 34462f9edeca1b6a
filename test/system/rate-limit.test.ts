// The limit on a key's requests, in a world started as `npm start` starts it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiKeyRequestsPerMinute } from "../../src/rules/limits.ts";
import { signIn } from "../support/browser.ts";
import { clientOf, type Reply } from "../support/client.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";

let world: RunningWorld;
beforeAll(async () => {
  world = await createWorld({ limitsRates: true });
  await world.start();
});
afterAll(() => world.remove());

/** Asks until a request is refused; two minutes' worth of requests always hold one that passes a minute's limit. */
async function askUntilRefused(ask: () => Promise<Reply>): Promise<{ allowed: number; refused: Reply | null }> {
  for (let allowed = 0; allowed <= 2 * apiKeyRequestsPerMinute; allowed++) {
    const reply = await ask();
    if (reply.status !== 200) return { allowed, refused: reply };
  }
  return { allowed: 2 * apiKeyRequestsPerMinute, refused: null };
}

test("a key that asks too often is refused, told when to come back, and alone in that", async () => {
  const owner = clientOf(world.address());
  const { allowed, refused } = await askUntilRefused(() => owner.get("/api/models"));
  expect(refused).toMatchObject({ status: 429, body: { code: "TOO_MANY_REQUESTS" } });
  expect(allowed).toBeGreaterThanOrEqual(apiKeyRequestsPerMinute);
  const wait = Number(refused?.headers.get("retry-after"));
  expect(wait).toBeGreaterThanOrEqual(1);
  expect(wait).toBeLessThanOrEqual(60);
  expect((await clientOf(world.address(), "member").get("/api/models")).status).toBe(200);
  expect((await (await signIn(world.address(), "owner")).call("GET", "/api/models")).status).toBe(200);
});
