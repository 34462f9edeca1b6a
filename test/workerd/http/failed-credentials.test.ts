// Invalid credentials: from the limit on, a client costs the database nothing more, and no other
// client is affected.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { authenticate } from "../../../src/http/authenticate.ts";
import { issueBrowserSession } from "../../../src/key/queries/browser-sessions.ts";
import { createSecret } from "../../../src/lib/ids.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { issueApiKey } from "../support/issued-keys.ts";

const now = 1_000_000;
const limit = 3;

let userId: string;
let address: string;
let queries: number;
let failures: Map<string, number>;
let isAtLimit: boolean;

beforeEach(async () => {
  userId = crypto.randomUUID();
  address = crypto.randomUUID();
  queries = 0;
  failures = new Map();
  isAtLimit = false;
  await env.DB.prepare("INSERT INTO users (id, name, email, created_at) VALUES (?1, 'U', ?1, 0)").bind(userId).run();
});

/** The database, which counts its statements. */
const counted = new Proxy(env.DB, {
  get(database, name: keyof D1Database) {
    if (name === "prepare") queries += 1;
    const value = database[name];
    return typeof value === "function" ? value.bind(database) : value;
  },
});

async function ask(headers: Record<string, string>, at = now, from = address) {
  const circumstances = {
    DB: counted,
    PUBLIC_URL: "http://service.test",
    SANDBOX_HOST_URL: "",
    KEY_REQUESTS: { limit: async () => ({ success: !isAtLimit }) },
    USER_REQUESTS: { limit: async () => ({ success: true }) },
    FAILED_CREDENTIALS: {
      async limit({ key }: { key: string }) {
        failures.set(key, (failures.get(key) ?? 0) + 1);
        return { success: (failures.get(key) ?? 0) <= limit };
      },
    },
  };
  const request = new Request("http://service.test/", { headers: { ...headers, "cf-connecting-ip": from } });
  const asked = { action: "models.read", noun: "none", params: {} } as const;
  const authenticated = await authenticate(circumstances, request, asked, at);
  return isRefusal(authenticated) ? authenticated : { code: "yes" };
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const unknown = () => bearer(createSecret("svc_key_"));

test("a client with too many wrong keys is refused without a lookup for the rest of the minute", async () => {
  for (let at = 0; at < limit; at++) expect(await ask(unknown())).toMatchObject({ code: "UNAUTHORIZED" });
  const refused = { code: "TOO_MANY_REQUESTS", retryAfterSeconds: expect.any(Number) };
  expect(await ask(unknown())).toMatchObject(refused);
  queries = 0;
  for (let at = 0; at < 20; at++) expect(await ask(unknown())).toMatchObject(refused);
  expect(queries).toBe(0);
  expect(await ask(unknown(), now, "another")).toMatchObject({ code: "UNAUTHORIZED" });
  failures.clear();
  expect(await ask(unknown(), now + 60_000)).toMatchObject({ code: "UNAUTHORIZED" });
});

test("a valid key from the same address keeps working", async () => {
  const { token } = await issueApiKey(env.DB, { userId, name: "k", expiresAt: null }, now);
  expect(await ask(bearer(token))).toEqual({ code: "yes" });
  for (let at = 0; at < limit + 2; at++) await ask(unknown());
  expect(await ask(bearer(token))).toEqual({ code: "yes" });
});

test("browser sessions are limited like keys, and expired ones count as wrong", async () => {
  const token = await issueBrowserSession(env.DB, userId, now);
  const cookie = { cookie: `svc_session=${token}` };
  expect(await ask(cookie)).toEqual({ code: "yes" });
  isAtLimit = true;
  expect(await ask(cookie)).toMatchObject({ code: "TOO_MANY_REQUESTS" });
  isAtLimit = false;
  const over = { cookie: `svc_session=${createSecret("svc_ses_")}` };
  for (let at = 0; at < limit; at++) expect(await ask(over)).toMatchObject({ code: "UNAUTHORIZED" });
  expect(await ask(over)).toMatchObject({ code: "TOO_MANY_REQUESTS" });
});
