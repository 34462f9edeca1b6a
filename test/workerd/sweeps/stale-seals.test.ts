// The sweep of stale seals: values of an old key can be unsealed afterwards with only the new key.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { getProviderLoginObject } from "../../../durable-objects/address.ts";
import { findIdentity } from "../../../src/account/queries.ts";
import type { Env } from "../../../src/env.ts";
import { findProject } from "../../../src/project/queries.ts";
import type { ProjectSettings } from "../../../src/project/rules/settings.ts";
import { sealSettings, unsealSettings } from "../../../src/project/settings.ts";
import { readCredential, sealTokens } from "../../../src/provider-login/credentials.ts";
import { getWorkspaceLogin } from "../../../src/provider-login/rules/login.ts";
import { seal, unseal } from "../../../src/storage/sealing.ts";
import { sweepStaleSeals } from "../../../src/sweeps/stale-seals.ts";
import { sealTriggerSecret, unsealTriggerSecret } from "../../../src/trigger/secrets.ts";
import { captureLog } from "../support/captured-log.ts";
import { freshSandbox, host, owner, sandbox } from "../support/sandbox-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

const settings = env as unknown as Env;
const oldKey = settings.SEALING_KEYS;
const newKey = `k2:${"B".repeat(43)}`;
const both = `${newKey},${oldKey}`;
const sweep = (keys = oldKey) => sweepWhole(sweepStaleSeals, { ...settings, SEALING_KEYS: keys }, 0);

beforeEach(async () => {
  await env.DB.batch(
    ["projects", "provider_logins", "code_host_identities", "network_secrets", "webhooks", "trigger_secrets"].map(
      (table) => env.DB.prepare(`DELETE FROM ${table}`),
    ),
  );
});

const inClear: ProjectSettings = {
  setup: ["npm ci"],
  services: [
    { name: "web", command: "run", env: { TOKEN: "clear-of-web", EMPTY: "" }, endpoints: [{ port: 1, public: true }] },
    { name: "worker", command: "run", endpoints: [] },
  ],
  env: { TOKEN: "clear-of-project" },
};

function insertProject(id: string, text: string) {
  return env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, settings_key, main_sandbox_key,
       created_at, updated_at)
     VALUES (?1, 'ws', 'P', 'acme/app', 'main', 'idle', ?2, 'k1', 'm0', 0, 0)`,
  ).bind(id, text);
}
const sealed = async (id: string) => JSON.stringify((await sealSettings(oldKey, { id, settings: inClear })).settings);
async function readProject(id: string) {
  const project = await findProject(env.DB, id);
  if (!project) throw new Error(`no project ${id}`);
  return project;
}
const rests = (id: string) =>
  env.DB.prepare("SELECT settings FROM projects WHERE id = ?1").bind(id).first<string>("settings");

describe("the values of a project's environments", () => {
  test("can be unsealed only in their own place", async () => {
    await insertProject("p", await sealed("p")).run();
    expect(await rests("p")).not.toMatch(/clear-of/);
    const project = await readProject("p");
    expect(await unsealSettings(oldKey, project)).toEqual(inClear);
    await expect(unsealSettings(oldKey, { ...project, id: "q" })).rejects.toThrow();
    const [web] = project.settings.services;
    const moved = { ...project.settings, services: [], env: { TOKEN: web?.env?.TOKEN ?? "" } };
    await expect(unsealSettings(oldKey, { id: "p", settings: moved })).rejects.toThrow();
    const renamed = { ...project.settings, services: [], env: { OTHER: project.settings.env.TOKEN ?? "" } };
    await expect(unsealSettings(oldKey, { id: "p", settings: renamed })).rejects.toThrow();
  });

  test("are resealed with another key, in pages, and a value that cannot be unsealed does not stop the others", async () => {
    const log = captureLog();
    const ids = Array.from({ length: 120 }, (_, place) => `p${place}`);
    const texts = await Promise.all(ids.map(sealed));
    await env.DB.batch(ids.map((id, place) => insertProject(id, texts[place] ?? "")));
    await insertProject(
      "broken",
      JSON.stringify({ ...inClear, services: [], env: { TOKEN: { sealed: "k0.AA.AA" } } }),
    ).run();
    await sweep(both);
    const others = await env.DB.prepare("SELECT id FROM projects WHERE settings_key IS NOT 'k2'").all();
    expect(others.results).toEqual([{ id: "broken" }]);
    for (const id of ["p0", "p119"]) expect(await unsealSettings(newKey, await readProject(id))).toEqual(inClear);
    expect(log.length).toBe(1);
    vi.restoreAllMocks();
  });

  test("are passed to a sandbox in clear", async () => {
    await freshSandbox();
    await env.DB.prepare("UPDATE projects SET settings = ?1, settings_key = 'k1'")
      .bind(await sealed(owner.projectId))
      .run();
    await sandbox().wakeForPreview(owner);
    const told = host.bodies.filter((body) => body.includes("clear-of-project"));
    expect(told.length).toBeGreaterThan(0);
    expect(host.bodies.some((body) => body.includes("clear-of-web"))).toBe(true);
  });
});

const name = getWorkspaceLogin("ws", "anthropic");
const tokens = { accessToken: "access", refreshToken: "refresh" };

async function insertCredential(kind: "key" | "login", sealed: string) {
  await env.DB.prepare(
    `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, label, authenticated_at)
     VALUES (?1, 'workspace', 'ws', 'anthropic', 0, ?2, ?3, '0000', 0)`,
  )
    .bind(name.id, kind, sealed)
    .run();
}

describe("values of an old key can afterwards be unsealed with only the new key", () => {
  const older = `k0:${"C".repeat(43)}`;
  const withOlder = `${oldKey},${older}`;

  test("the tokens of a login are resealed by the login's object, which refreshes them", async () => {
    await insertCredential("login", await sealTokens({ SEALING_KEYS: oldKey }, name, tokens));
    const before = await env.DB.prepare("SELECT sealed FROM provider_logins").first("sealed");
    await getProviderLoginObject(settings, name).reseal(name);
    const after = await env.DB.prepare("SELECT sealed FROM provider_logins").first("sealed");
    expect(after).not.toBe(before);
    expect(await readCredential(settings, name)).toMatchObject({ kind: "login", ...tokens });
  });

  test("a value that cannot be unsealed is logged", async () => {
    const log = captureLog();
    await insertCredential("key", await seal(older, "another row", "sk-key"));
    await sweep(withOlder);
    expect(log).toMatchObject([{ event: "seal.not_renewed", sealed: "login", row: expect.any(Number) }]);
    vi.restoreAllMocks();
  });

  test("the tokens of a person at the code host", async () => {
    await env.DB.batch([
      env.DB.prepare(
        "INSERT OR IGNORE INTO users (id, name, email, created_at) VALUES ('usr_seal', 'Mia', 'seal@example.com', 0)",
      ),
      env.DB.prepare(
        `INSERT INTO code_host_identities (user_id, host_user_id, login, name, email, sealed, created_at)
         VALUES ('usr_seal', '1', 'mia', 'Mia', 'mia@example.com', ?1, 0)`,
      ).bind(await seal(oldKey, "code-host-identity:usr_seal", JSON.stringify(tokens))),
    ]);
    await sweep();
    expect((await findIdentity(env.DB, "usr_seal"))?.sealed).toMatch(/^k1\./);
    await sweep(both);
    const { sealed = "" } = (await findIdentity(env.DB, "usr_seal")) ?? {};
    expect(JSON.parse(await unseal(newKey, "code-host-identity:usr_seal", sealed))).toEqual(tokens);
  });

  test("the secret of an HTTP trigger", async () => {
    const insert = env.DB.prepare("INSERT INTO trigger_secrets (trigger_id, project_id, sealed) VALUES (?1, 'p', ?2)");
    await insert.bind("t", await sealTriggerSecret({ SEALING_KEYS: oldKey }, "t", "whsec_AAAA")).run();
    await sweep();
    const read = async () => (await env.DB.prepare("SELECT sealed FROM trigger_secrets").first<string>("sealed")) ?? "";
    expect(await read()).toMatch(/^k1\./);
    await sweep(both);
    expect(await unsealTriggerSecret({ SEALING_KEYS: newKey }, "t", await read())).toBe("whsec_AAAA");
    await expect(unsealTriggerSecret({ SEALING_KEYS: newKey }, "other", await read())).rejects.toThrow();
  });
});
