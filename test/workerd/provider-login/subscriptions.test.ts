// The subscriptions of a user: keys are tested, saved, replaced, ordered and disconnected, whatever
// happens concurrently.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { connectUserKey } from "../../../src/provider-login/connect-key.ts";
import { listUserLogins, listUserSubscriptions } from "../../../src/provider-login/queries/logins.ts";
import {
  disconnectLogin,
  disconnectProvider,
  saveDefaultModel,
  updateLoginOrder,
} from "../../../src/provider-login/queries/subscriptions.ts";
import { toWireSubscriptions } from "../../../src/provider-login/wire/subscription.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { addUser } from "../support/people.ts";

// What a test of a key uses of the product's bindings is among those of the tests.
const settings = env as unknown as Env;
let userId: string;
let answer: () => Response;

beforeEach(async () => {
  userId = await addUser("mia");
  answer = () => Response.json({});
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer());
});
afterEach(() => vi.restoreAllMocks());

const key = (end: number | string) => `sk-key-of-a-person-0123456789-${end}`;
const connect = (end: number | string, loginId: string | null = null, now = 0) =>
  connectUserKey(settings, { userId, provider: "zai", apiKey: key(end), loginId }, now);
const shown = async (now = 0) => toWireSubscriptions(await listUserLogins(env.DB, userId), null, now).zai;
const labels = async () => (await shown())?.logins.map(({ label }) => label);
const ids = async () => (await shown())?.logins.map(({ id }) => id) ?? [];
const code = (outcome: unknown) => (isRefusal(outcome) ? outcome.code : outcome);

describe("keys of a user", () => {
  test("come last, and are shown by their ends", async () => {
    expect(await connect("aaaa", null, 1_000)).toBeNull();
    await connect("bbbb", null, 2_000);
    const [first, second] = await ids();
    const login = { needsReauth: false, exhaustedUntil: null };
    const [one, two] = ["1970-01-01T00:00:01.000Z", "1970-01-01T00:00:02.000Z"];
    expect(await shown()).toEqual({
      connected: true,
      needsReauth: false,
      accountEmail: null,
      authenticatedAt: one,
      maskedApiKey: "sk-k…aaaa",
      logins: [
        { id: first, label: "aaaa", status: "in_use", ...login, authenticatedAt: one },
        { id: second, label: "bbbb", status: "fallback", ...login, authenticatedAt: two },
      ],
    });
    const { results } = await env.DB.prepare("SELECT * FROM provider_logins WHERE owner_id = ?1").bind(userId).all();
    expect(JSON.stringify(results)).not.toContain("sk-key-of-a-person");
  });

  test("are refused as the sixth, and in a second place", async () => {
    for (const end of [1, 2, 3, 4, 5]) expect(await connect(end)).toBeNull();
    expect(code(await connect(6))).toBe("PROVIDER_LOGIN_LIMIT");
    expect(code(await connect(3))).toBe("PROVIDER_LOGIN_DUPLICATE");
    const [first = ""] = await ids();
    expect(code(await connect(3, first))).toBe("PROVIDER_LOGIN_DUPLICATE");
    expect(code(await connect(7, crypto.randomUUID()))).toBe("NOT_FOUND");
    expect(await connect("cccc", first)).toBeNull();
    expect(await connect("cccc", first)).toBeNull();
    expect((await labels())?.[0]).toBe("cccc");
  });

  test("change nothing when the provider refuses them, and are marked when they are at their limit", async () => {
    await connect("aaaa");
    const [first = ""] = await ids();
    answer = () => Response.json({ error: { message: "invalid key" } }, { status: 401 });
    expect(code(await connect("bbbb"))).toBe("BAD_REQUEST");
    expect(code(await connect("bbbb", first))).toBe("BAD_REQUEST");
    answer = () => new Response("", { status: 500 });
    expect(code(await connect("bbbb", first))).toBe("SERVICE_UNAVAILABLE");
    expect(await labels()).toEqual(["aaaa"]);
    answer = () =>
      Response.json({ error: { message: "usage limit" } }, { status: 429, headers: { "retry-after": "600" } });
    expect(await connect("bbbb", first)).toBeNull();
    expect(await shown(Date.now())).toMatchObject({ logins: [{ label: "bbbb", status: "limit_reached" }] });
    expect(await shown(Date.now() + 700_000)).toMatchObject({ logins: [{ status: "in_use", exhaustedUntil: null }] });
    answer = () => Response.json({});
    await connect("bbbb", first);
    expect(await shown(Date.now())).toMatchObject({ logins: [{ label: "bbbb", status: "in_use" }] });
  });

  test("are ordered by all their ids, each once", async () => {
    for (const end of ["aaaa", "bbbb", "cccc"]) await connect(end);
    const [a = "", b = "", c = ""] = await ids();
    const order = (...named: string[]) => updateLoginOrder(env.DB, userId, "zai", named);
    for (const wrong of [[], [a, b], [a, b, b], [a, b, c, c], [a, b, crypto.randomUUID()]]) {
      expect(await order(...wrong)).toBe("incomplete");
    }
    expect(await labels()).toEqual(["aaaa", "bbbb", "cccc"]);
    expect(await order(c, a, b)).toBe("moved");
    expect(await order(c, a, b)).toBe("same");
    expect(await labels()).toEqual(["cccc", "aaaa", "bbbb"]);
    expect(await updateLoginOrder(env.DB, userId, "kimi", [])).toBe("same");
  });

  test("are disconnected one by one, or all, only by their own user", async () => {
    for (const end of ["aaaa", "bbbb", "cccc"]) await connect(end);
    const [first = ""] = await ids();
    const name = (id: string) => ({ owner: { type: "member", id }, provider: "zai", id: first }) as const;
    expect(await disconnectLogin(env.DB, name(await addUser("sam")))).toBeNull();
    expect(await disconnectLogin(env.DB, name(userId))).toEqual({ left: 2 });
    expect(await disconnectLogin(env.DB, name(userId))).toBeNull();
    expect(await labels()).toEqual(["bbbb", "cccc"]);
    expect(await disconnectProvider(env.DB, userId, "zai")).toBe(true);
    expect(await disconnectProvider(env.DB, userId, "zai")).toBe(false);
    expect(await shown()).toBeNull();
  });
});

test("60 concurrent changes leave five at most, each place and each key once, and none fails", async () => {
  await Promise.all([1, 2, 3].map((end) => connect(end)));
  const held = await ids();
  await Promise.all(
    Array.from({ length: 60 }, async (_, turn) => {
      const one = held[turn % 3] ?? "";
      const name = { owner: { type: "member", id: userId }, provider: "zai", id: one } as const;
      if (turn % 4 === 0) return await connect(turn % 12);
      if (turn % 4 === 1) return await connect(turn % 9, one);
      if (turn % 4 === 2) return await updateLoginOrder(env.DB, userId, "zai", (await ids()).toReversed());
      return turn > 40 ? await disconnectLogin(env.DB, name) : null;
    }),
  );
  const rows = await listUserLogins(env.DB, userId);
  expect(rows.length).toBeLessThanOrEqual(5);
  expect(new Set(rows.map(({ place }) => place)).size).toBe(rows.length);
  expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(rows.length);
});

test("a default model is saved, and cleared", async () => {
  await saveDefaultModel(env.DB, userId, "kimi:kimi__high");
  expect((await listUserSubscriptions(env.DB, userId)).defaultModel).toBe("kimi:kimi__high");
  await saveDefaultModel(env.DB, userId, null);
  expect((await listUserSubscriptions(env.DB, userId)).defaultModel).toBeNull();
});
