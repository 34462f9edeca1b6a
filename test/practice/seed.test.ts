// The demo world in a database that had it before.
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyMigrations } from "../../practice/migrations.ts";
import { getProviderSettings, type RealProviders, seedKeys } from "../../practice/real-providers.ts";
import type { Secrets } from "../../practice/secrets.ts";
import { seed } from "../../practice/seed.ts";
import { startWorkspaceDeletion } from "../../src/deletion/queries.ts";
import type { ProviderId } from "../../src/model/rules/provider.ts";
import { readCredential } from "../../src/provider-login/credentials.ts";
import { getWorkspaceLogin } from "../../src/provider-login/rules/login.ts";
import {
  addWorkspace,
  findWorkspace,
  listWorkspaces,
  updateWorkspace,
} from "../../src/workspace/queries/workspaces.ts";

const secrets: Secrets = {
  signingKey: "signing",
  sealingKeys: `k1:${"A".repeat(43)}`,
  codeHostToken: "token",
  codeHostAppKey: "key",
  codeHostClientSecret: "secret",
  codeHostWebhookSecret: "secret",
  apnsPrivateKey: "key",
  webPushPrivateKey: "key",
  s3: { accessKeyId: "id", secretAccessKey: "secret" },
  apiKeys: { owner: "svc_key_1", admin: "svc_key_2", member: "svc_key_3", outsider: "svc_key_4" },
};
let runtime: Miniflare;
let database: D1Database;
beforeAll(async () => {
  runtime = new Miniflare(
    convertV4MiniflareOptions({ script: "", modules: true, d1Databases: ["DB"], telemetry: { enabled: false } }),
  );
  database = (await runtime.getD1Database("DB")) as unknown as D1Database;
  await applyMigrations(database);
});
afterAll(() => runtime.dispose());

test("a deleted demo workspace is created again at the next start, even if its slug is taken", async () => {
  const first = await seed(database, secrets);
  expect(await startWorkspaceDeletion(database, { id: first.workspaceId, name: "Acme", ownerId: "usr_owner" }, 1)).toBe(
    true,
  );
  const workspace = { id: "ws_mine", name: "Acme", slug: "acme", logo: null, timezone: "UTC", defaultModel: null };
  await addWorkspace(
    database,
    { ...workspace, plan: "free", spendLimitUsd: null, generatedTitles: false, createdAt: 1 },
    "usr_member",
  );
  const second = await seed(database, secrets);
  expect(second).toEqual({ ...first, projectId: expect.not.stringMatching(first.projectId) });
  expect((await listWorkspaces(database, "usr_member")).map(({ slug }) => slug)).toEqual([
    expect.stringMatching(/^acme-\w{4}$/),
    "acme",
  ]);
  expect(await seed(database, secrets)).toEqual(second);
  expect(
    await startWorkspaceDeletion(database, { id: second.workspaceId, name: "Acme", ownerId: "usr_owner" }, 2),
  ).toBe(true);
});

test("a start finds the demo world", async () => {
  const first = await seed(database, secrets);
  expect(await seed(database, secrets)).toEqual(first);
});

test("a workspace has the given keys, sealed, and keys of the practice provider if they are missing", async () => {
  const { workspaceId } = await seed(database, secrets);
  const keysAfter = async (real: RealProviders) => {
    await seedKeys(database, { workspaceId, real, sealingKeys: secrets.sealingKeys, random: () => "random" });
    const env = { DB: database, SEALING_KEYS: secrets.sealingKeys };
    const read = (provider: ProviderId) => readCredential(env, getWorkspaceLogin(workspaceId, provider));
    const held = [await read("anthropic"), await read("openai")].map((one) => one?.kind === "key" && one.apiKey);
    return [...held, (await findWorkspace(database, workspaceId))?.defaultModel];
  };
  const [anthropic, openai] = await keysAfter({});
  expect([anthropic, openai]).toEqual([
    expect.stringMatching(/^sk-practice-anthropic-/),
    expect.stringMatching(/^sk-practice-openai-/),
  ]);
  const real = { openai: { apiKey: "sk-own-1234", baseUrl: null } };
  expect(await keysAfter(real)).toEqual([anthropic, "sk-own-1234", expect.stringMatching(/^openai:/)]);
  const rows = await database.prepare("SELECT * FROM provider_logins").all();
  expect(JSON.stringify(rows.results)).not.toContain("sk-own");
  await updateWorkspace(database, workspaceId, { defaultModel: "openai:codex__high" });
  expect(await keysAfter(real)).toContain("openai:codex__high");
  expect(await keysAfter({ kimi: { apiKey: "k", baseUrl: null } })).toEqual([
    anthropic,
    "sk-practice-openai-random",
    expect.stringMatching(/^kimi:/),
  ]);
});

test("the demo workspace has the plan of the start, and keeps it where none is given", async () => {
  const plan = async () => (await findWorkspace(database, "ws_demo"))?.plan;
  await seed(database, secrets);
  expect(await plan()).toBe("team");
  await seed(database, secrets, { plan: "enterprise" });
  await seed(database, secrets);
  expect(await plan()).toBe("enterprise");
});

test("providers without a key are practice, and the others are reached at their own address or a gateway's", () => {
  const real = { anthropic: { apiKey: "a", baseUrl: null }, zai: { apiKey: "z", baseUrl: "https://gateway.example" } };
  const read = Object.entries(getProviderSettings(real, "http://practice")).map(([name, json]) => [
    name,
    JSON.parse(json),
  ]);
  expect(Object.fromEntries(read)).toEqual({
    PROVIDER_URLS: { openai: "http://practice/openai", zai: "https://gateway.example", kimi: "http://practice/kimi" },
    MODEL_LOGIN_CLIENTS: {
      openai: expect.objectContaining({ tokenUrl: "http://practice/openai/oauth/token", clientId: "practice" }),
      kimi: expect.objectContaining({ tokenUrl: "http://practice/kimi/oauth/token", clientId: "practice" }),
    },
    MODEL_LABEL_NOTES: { openai: "practice", kimi: "practice" },
  });
});
