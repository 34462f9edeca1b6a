// The API keys of a workspace: tested before they are saved, sealed, and never shown whole.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import type { ProviderId } from "../../../src/model/rules/provider.ts";
import { readCredential } from "../../../src/provider-login/credentials.ts";
import { deleteCredential, listCredentials } from "../../../src/provider-login/queries/logins.ts";
import { getWorkspaceLogin } from "../../../src/provider-login/rules/login.ts";
import { toWireCredentials } from "../../../src/provider-login/wire/credential.ts";
import { saveWorkspaceCredential } from "../../../src/provider-login/workspace-credential.ts";
import { addWorkspaceWith } from "../support/people.ts";

// What the call uses of the product's bindings is among those of the tests.
const world = env as unknown as Env;
const good = "sk-good-key-of-a-workspace-0123456789";
let workspaceId: string;
/** The requests to the providers: address, key and model. */
let asked: { url: string; key: string | null; model: string }[];
let answer: () => Response | Promise<Response>;

beforeEach(async () => {
  ({ workspaceId } = await addWorkspaceWith({ owner: "owner" }));
  asked = [];
  answer = () => Response.json({});
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const headers = new Headers(init?.headers);
    const key = headers.get("x-api-key") ?? headers.get("authorization");
    const { model } = JSON.parse(await new Response(init?.body).text());
    asked.push({ url: String(input), key, model });
    return await answer();
  });
});
afterEach(() => vi.restoreAllMocks());

const put = (provider: ProviderId, apiKey: string, now = 0) =>
  saveWorkspaceCredential(world, { workspaceId, provider, apiKey }, now);
const shown = async (provider: ProviderId) => toWireCredentials(await listCredentials(env.DB, workspaceId))[provider];
const held = (provider: ProviderId) => readCredential(env, getWorkspaceLogin(workspaceId, provider));

test.each<[ProviderId, string, string, string]>([
  ["anthropic", "https://api.anthropic.com/v1/messages", good, "claude-opus-5-5"],
  ["openai", "https://api.openai.com/v1/responses", `Bearer ${good}`, "gpt-6-sol"],
  ["zai", "https://api.z.ai/api/anthropic/v1/messages", `Bearer ${good}`, "glm-5.3"],
  ["kimi", "https://api.kimi.com/coding/v1/messages", good, "k3"],
])("a key of %s is tested with one call of its first model, then saved", async (provider, url, key, model) => {
  expect(await put(provider, good, 1_000)).toBeNull();
  expect(asked).toEqual([{ url, key, model }]);
  expect(await held(provider)).toEqual({ kind: "key", apiKey: good });
  expect(await shown(provider)).toEqual({
    kind: "organization",
    authMethod: "api_key",
    needsReauth: false,
    accountEmail: null,
    maskedApiKey: "sk-g…6789",
    authenticatedAt: "1970-01-01T00:00:01.000Z",
  });
});

test("the key is stored sealed", async () => {
  await put("kimi", good);
  const rows = await env.DB.prepare("SELECT * FROM provider_logins WHERE owner_id = ?1").bind(workspaceId).all();
  expect(JSON.stringify(rows.results)).not.toContain(good);
});

test.each<[string, () => Response | Promise<Response>, string, RegExp]>([
  [
    "is refused",
    () => Response.json({ error: { message: "invalid x-api-key" } }, { status: 401 }),
    "BAD_REQUEST",
    /invalid x-api-key/,
  ],
  ["is refused without a word", () => new Response("<html>", { status: 403 }), "BAD_REQUEST", /refuses this key\.$/],
  ["meets a broken provider", () => new Response("", { status: 500 }), "SERVICE_UNAVAILABLE", /not saved/],
  ["meets nobody", () => Promise.reject(new TypeError("connection refused")), "SERVICE_UNAVAILABLE", /not saved/],
])("a key that %s changes nothing", async (_, refusing, code, message) => {
  await put("anthropic", good);
  answer = refusing;
  expect(await put("anthropic", "sk-another-key-0123456789")).toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
  expect(await held("anthropic")).toEqual({ kind: "key", apiKey: good });
});

test("a new key replaces a login that has to be reconnected", async () => {
  await env.DB.prepare(
    `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, label, needs_reauth, authenticated_at)
     VALUES (?2, 'workspace', ?1, 'openai', 0, 'login', 'x', '', 1, 0)`,
  )
    .bind(workspaceId, getWorkspaceLogin(workspaceId, "openai").id)
    .run();
  expect(await shown("openai")).toMatchObject({ authMethod: "sign_in", needsReauth: true, maskedApiKey: null });
  expect(await put("openai", good)).toBeNull();
  expect(await shown("openai")).toMatchObject({ authMethod: "api_key", needsReauth: false });
});

test("a deleted credential is deleted", async () => {
  await put("zai", good);
  await deleteCredential(env.DB, getWorkspaceLogin(workspaceId, "zai"));
  await deleteCredential(env.DB, getWorkspaceLogin(workspaceId, "zai"));
  expect(await shown("zai")).toBeNull();
});
