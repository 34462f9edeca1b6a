// How much of a subscription is used: its provider is asked at intervals, for all callers together,
// and a usage below its limits clears a mark.
import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { getProviderLoginObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../../src/env.ts";
import { readSubscriptionUsage } from "../../../src/provider-login/plan-usage.ts";
import { deleteLimitMark } from "../../../src/provider-login/queries/logins.ts";
import type { LoginName } from "../../../src/provider-login/rules/login.ts";
import { addMemberKey } from "../support/member-logins.ts";
import { standIn } from "../support/outside.ts";
import { addUser } from "../support/people.ts";

const settings = env as unknown as Env;
let mia: string;
let asked: (string | null)[];
let answer: () => Response | Promise<Response>;
const windowsUsed = (utilization: number) => () => Response.json({ five_hour: { utilization, resets_at: null } });
const hold = (end: string, state = {}) =>
  addMemberKey(mia, { provider: "anthropic", apiKey: `sk-key-of-mia-0123456789-${end}`, ...state });
const read = (loginId: string | null = null) =>
  readSubscriptionUsage(settings, { userId: mia, provider: "anthropic", loginId }, Date.now());
const until = (id: string) =>
  env.DB.prepare("SELECT exhausted_until AS until FROM provider_logins WHERE id = ?1").bind(id).first<number>("until");
const mark = (id: string, at: number) =>
  env.DB.prepare("UPDATE provider_logins SET exhausted_until = ?2 WHERE id = ?1").bind(id, at).run();
const untilAsked = (count: number) => vi.waitUntil(() => asked.length === count, { timeout: 60_000 });

beforeEach(async () => {
  mia = await addUser("mia");
  asked = [];
  answer = windowsUsed(12);
  return standIn("https://api.anthropic.com/api/oauth/usage", (request) => {
    asked.push(request.headers.get("authorization"));
    return answer();
  });
});

test("its provider is asked once in 30 seconds, for any number of callers, and once more for a login that is connected again", async () => {
  const id = await hold("1");
  const name: LoginName = { owner: { type: "member", id: mia }, provider: "anthropic", id };
  const told = await Promise.all(Array.from({ length: 10 }, () => read()));
  await evictDurableObject(getProviderLoginObject(settings, name));
  expect(new Set([...told, await read(id)].map((one) => JSON.stringify(one))).size).toBe(1);
  expect(told[0]).toMatchObject({ usage: { session: { utilization: 12 }, week: null } });
  expect(asked).toEqual(["Bearer sk-key-of-mia-0123456789-1"]);
  await env.DB.prepare("UPDATE provider_logins SET authenticated_at = 1 WHERE id = ?1").bind(id).run();
  await read();
  expect(asked).toHaveLength(2);
});

test("a usage below every limit clears a mark, and one at a limit leaves it", async () => {
  const at = Date.now() + 1e6;
  const [first, second] = [await hold("1", { exhaustedUntil: at }), await hold("2", { exhaustedUntil: at })];
  await read(first);
  answer = windowsUsed(100);
  await read(second);
  expect([await until(first), await until(second)]).toEqual([null, at]);
});

test("a usage that was read before a mark, or a mark that is set meanwhile, clears nothing", async () => {
  const id = await hold("1");
  await read(id);
  const [at, later] = [Date.now() + 1e6, Date.now() + 2e6];
  await mark(id, at);
  answer = windowsUsed(100);
  for (const _ of [1, 2]) expect(await read(id)).toMatchObject({ usage: { session: { utilization: 100 } } });
  expect([await until(id), asked.length]).toEqual([at, 2]);
  await deleteLimitMark(env.DB, { id, authenticatedAt: 0, exhaustedUntil: later });
  expect(await until(id)).toBe(at);
  await mark(id, later);
  answer = windowsUsed(12);
  for (const _ of [1, 2]) await read(id);
  expect([await until(id), asked.length]).toEqual([null, 3]);
});

test("a usage names the mark from before its request, for callers that join it after a new mark", async () => {
  const id = await hold("1");
  const name: LoginName = { owner: { type: "member", id: mia }, provider: "anthropic", id };
  const marked = Promise.withResolvers<void>();
  answer = async () => {
    await marked.promise;
    return windowsUsed(12)();
  };
  const asking = getProviderLoginObject(settings, name).usage(name);
  await untilAsked(1);
  await mark(id, Date.now() + 1e6);
  marked.resolve();
  expect(await asking).toMatchObject({ answer: { type: "usage" }, exhaustedUntil: null });
});

test("a usage from before a mark clears nothing after its object has died during a request", async () => {
  const id = await hold("1");
  await read(id);
  const at = Date.now() + 1e6;
  await mark(id, at);
  answer = () => new Promise(() => undefined);
  void read(id).catch(() => undefined);
  await untilAsked(2);
  await abortAllDurableObjects();
  expect(await read(id)).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  expect([await until(id), asked.length]).toEqual([at, 2]);
});

test("is that of the login in use, otherwise of the first that needs no reconnecting, with the reason if it is not reported", async () => {
  expect(await read()).toMatchObject({
    code: "BAD_REQUEST",
    message: expect.stringContaining("no Anthropic subscription"),
  });
  const first = await hold("1", { needsReauth: true });
  expect(await read()).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("connected again") });
  await hold("2", { exhaustedUntil: Date.now() + 1e6 });
  answer = windowsUsed(100);
  await read();
  await hold("3");
  await read();
  expect(asked.map((header) => header?.slice(-1))).toEqual(["2", "3"]);
  expect(await read(first)).toMatchObject({ code: "BAD_REQUEST" });
  expect(await read(crypto.randomUUID())).toMatchObject({ code: "BAD_REQUEST" });
});

test("a provider that does not report it is asked no sooner again", async () => {
  await hold("1");
  answer = () => new Response("busy", { status: 500 });
  for (const _ of [1, 2]) expect(await read()).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  expect(asked).toHaveLength(1);
});
