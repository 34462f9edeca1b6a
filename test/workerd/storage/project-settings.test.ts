// Project settings as the database stores them: sealed, replaced whole, and never lost to another
// write.
import { env as bindings } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { check } from "../../../src/http/validation.ts";
import { findProject, findSettingsText } from "../../../src/project/queries.ts";
import { mask, type ProjectSettings } from "../../../src/project/rules/settings.ts";
import { readSettings, saveSettings, unsealSettings } from "../../../src/project/settings.ts";
import { settingsBody } from "../../../src/project/wire.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

const env = bindings as unknown as Env;
let id: string;
const none: ProjectSettings = { setup: [], services: [], env: {} };
const wanted: ProjectSettings = {
  setup: ["npm ci"],
  services: [{ name: "web", command: "run", env: { TOKEN: "of-web" }, endpoints: [{ port: 1, public: true }] }],
  env: { TOKEN: "of-project", EMPTY: "" },
};

beforeEach(async () => {
  id = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, 'ws', 'P', 'acme/app', 'main', 'idle', ?2, 'm0', 0, 0)`,
  )
    .bind(id, JSON.stringify(none))
    .run();
});

const put = (settings: ProjectSettings, projectId = id) => saveSettings(env, { projectId, settings }, 7);
async function inForce(): Promise<ProjectSettings> {
  const project = await findProject(env.DB, id);
  if (!project) throw new Error("no project");
  expect(project.settingsKey).toBe("k1");
  return await unsealSettings(env.SEALING_KEYS, project);
}

test("settings are stored sealed, take effect, and are returned masked", async () => {
  const masked = {
    ...wanted,
    services: [{ ...wanted.services[0], env: { TOKEN: mask } }],
    env: { TOKEN: mask, EMPTY: "" },
  };
  expect(await put(wanted)).toEqual(masked);
  expect(await readSettings(env, id)).toEqual(masked);
  expect(await findSettingsText(env.DB, id)).not.toMatch(/of-web|of-project/);
  expect(await inForce()).toEqual(wanted);
  expect((await findProject(env.DB, id))?.updatedAt).toBe(7);
});

test("masks keep the values, even those that another key sealed, and a PUT replaces everything else", async () => {
  await put(wanted);
  const changed: ProjectSettings = { ...none, env: { TOKEN: mask, EMPTY: mask, NEW: "new" }, warmPool: false };
  expect(await put(changed)).toMatchObject({ env: { TOKEN: mask, EMPTY: "", NEW: mask }, warmPool: false });
  expect(await inForce()).toEqual({ ...changed, env: { TOKEN: "of-project", EMPTY: "", NEW: "new" } });
});

test("a refusal changes nothing", async () => {
  await put(wanted);
  const before = await findSettingsText(env.DB, id);
  for (const wrong of [
    { ...none, env: { OTHER: mask } },
    { ...none, env: { SWITCHYARD_URL: "x" } },
  ])
    expect(await put(wrong)).toMatchObject({ code: "VALIDATION_ERROR" });
  expect(await findSettingsText(env.DB, id)).toBe(before);
  expect(await put(none, crypto.randomUUID())).toMatchObject({ code: "NOT_FOUND" });
  expect(await readSettings(env, crypto.randomUUID())).toMatchObject({ code: "NOT_FOUND" });
});

test("concurrent PUTs do not mix", async () => {
  await put({ ...none, env: { KEPT: "kept" } });
  const answers = await Promise.all(["a", "b", "c"].map((name) => put({ ...none, env: { KEPT: mask, [name]: name } })));
  expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(3);
  const { KEPT, ...own } = (await inForce()).env;
  expect([KEPT, Object.keys(own).length]).toEqual(["kept", 1]);
});

test("the largest settings fit into their row", async () => {
  const values = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`V${at}`, "x".repeat(100)]));
  const services = Array.from({ length: 20 }, (_, at) => ({
    name: `s${at}`,
    command: "run",
    env: values,
    endpoints: [],
  }));
  const large = {
    setup: [],
    services,
    env: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`L${at}`, "x".repeat(32_768)])),
  };
  expect(isRefusal(await put(large))).toBe(false);
  expect(await inForce()).toEqual(large);
});

describe("the form of settings", () => {
  const endpoint = { port: 3_000, public: true };
  const service = { name: "web", command: "run", endpoints: [endpoint] };
  const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
  const listPaths = (body: unknown) => {
    const checked = check(settingsBody, body, "VALIDATION_ERROR");
    return isRefusal(checked) ? (checked.details as { path: string }[]).map(({ path }) => path) : [];
  };

  test.each<[string, unknown, string[]]>([
    ["all that may be left out", { ...none, services: [service] }, []],
    ["nothing", {}, ["setup", "services", "env"]],
    ["names that are not known", { ...none, port: 1 }, ["port"]],
    ["20 commands of 4,000 characters", { ...none, setup: many(20, "x".repeat(4_000)) }, []],
    ["21 commands", { ...none, setup: many(21, "x") }, ["setup"]],
    ["a longer command", { ...none, setup: ["x".repeat(4_001)] }, ["setup.0"]],
    ["an empty command", { ...none, setup: [""] }, ["setup.0"]],
    ["21 services", { ...none, services: many(21, service) }, ["services"]],
    ["names of other characters", { ...none, services: [{ ...service, name: "web app" }] }, ["services.0.name"]],
    ["11 endpoints", { ...none, services: [{ ...service, endpoints: many(11, endpoint) }] }, ["services.0.endpoints"]],
    ...[0, 65_536, 1.5, "80"].map((port): [string, unknown, string[]] => [
      `the port ${port}`,
      { ...none, services: [{ ...service, endpoints: [{ ...endpoint, port }] }] },
      ["services.0.endpoints.0.port"],
    ]),
    ...["", "health", "/a b", "/a\nb"].map((healthPath): [string, unknown, string[]] => [
      `the health path ${JSON.stringify(healthPath)}`,
      { ...none, services: [{ ...service, endpoints: [{ ...endpoint, healthPath }] }] },
      ["services.0.endpoints.0.healthPath"],
    ]),
    ["a value that is no text", { ...none, env: { A: 1 } }, ["env.A"]],
    ["a warm pool that is no yes or no", { ...none, warmPool: 1 }, ["warmPool"]],
  ])("with %s", (_, body, paths) => {
    expect(listPaths(body)).toEqual(paths);
  });
});
