// What everybody can read: liveness and the model catalog; and for a user, their workspaces and the
// projects in them.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";

const world = apiWorld();
const owner = createClient(world);
const outsider = createClient(world, "outsider");
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const meta = { version, cli: { version, url: `${world.baseUrl}/cli` }, webPushKey: expect.any(String) };

test.each([
  ["no key", {}],
  ["a valid key", { authorization: `Bearer ${world.users.member.apiKey}` }],
  ["a key that is not valid", { authorization: "Bearer nonsense" }],
])("meta returns 200 to %s", async (_, headers) => {
  const answer = await exchange(world.baseUrl, { path: "/api/meta", headers });
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { data: meta }]);
});

test.each(["?", "?verbose=1", "?v=1&v=2", "?__proto__=1", "?key=%00%ff"])("meta takes any query: %s", async (query) => {
  const answer = await exchange(world.baseUrl, { path: `/api/meta${query}` });
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { data: meta }]);
});

describe("the model catalog", async () => {
  interface Entry {
    value: string;
    provider: string;
    model: string;
    reasoning: string;
    speed: string | null;
    label: string;
    legacy?: true;
  }
  const catalog: Entry[] = (await owner.get("/api/models")).body.data;
  const providers = ["anthropic", "openai", "zai", "kimi"];

  test("is the same for everybody, whatever models they can run", async () => {
    for (const person of ["admin", "member", "outsider"] as const) {
      expect((await createClient(world, person).get("/api/models")).body.data).toEqual(catalog);
    }
  });

  test("lists the four providers in their order", () => {
    expect([...new Set(catalog.map(({ provider }) => provider))]).toEqual(providers);
  });

  test("has a unique name for each entry, made of its parts", () => {
    for (const { value, provider, model, reasoning, speed } of catalog) {
      expect(value).toBe(`${provider}:${model}__${reasoning}${speed === null ? "" : `__${speed}`}`);
    }
    expect(new Set(catalog.map(({ value }) => value)).size).toBe(catalog.length);
  });

  test("marks every label as practice", () => {
    for (const { label } of catalog) expect(label).toMatch(/practice/i);
    expect(new Set(catalog.map(({ label }) => label)).size).toBe(catalog.length);
  });

  test.each(providers)("has two current families of %s or more, with several efforts", (provider) => {
    const current = catalog.filter((entry) => entry.provider === provider && !entry.legacy);
    expect(new Set(current.map(({ model }) => model)).size).toBeGreaterThanOrEqual(2);
    expect(new Set(current.map(({ reasoning }) => reasoning)).size).toBeGreaterThanOrEqual(2);
  });

  test("has fast speeds, ultrafast of one family only, each at an effort of a standard entry", () => {
    const families = (speed: string) =>
      new Set(catalog.filter((entry) => entry.speed === speed).map(({ provider, model }) => `${provider}:${model}`));
    expect(families("fast").size).toBeGreaterThanOrEqual(1);
    expect(families("ultrafast").size).toBe(1);
    const values = new Set(catalog.map(({ value }) => value));
    for (const { value, speed } of catalog) expect(values).toContain(speed ? value.slice(0, -speed.length - 2) : value);
  });

  test("marks only retired models as legacy", () => {
    expect(catalog.some(({ legacy }) => legacy)).toBe(true);
    for (const entry of catalog) expect([true, undefined]).toContain(entry.legacy);
  });
});

test("the list of workspaces has only those of the caller", async () => {
  const fields = { name: expect.any(String), slug: expect.any(String), logo: null, suspendedAt: null };
  for (const person of ["owner", "admin", "member"] as const) {
    const { body } = await createClient(world, person).get("/api/organizations");
    expect(body).toEqual({ data: [{ id: world.workspaceId, ...fields }] });
  }
  const { data } = (await outsider.get("/api/organizations")).body;
  expect(data).toEqual([{ id: expect.not.stringMatching(`^${world.workspaceId}$`), ...fields }]);
});

test("a project's record is under data with its workspace", async () => {
  const { status, body } = await owner.get(`/api/projects/${world.projectId}`);
  expect(status).toBe(200);
  expect(body.data).toEqual(
    expect.objectContaining({
      id: world.projectId,
      orgId: world.workspaceId,
      name: expect.stringMatching(/\S/),
      repository: expect.stringMatching(/^[^/]+\/[^/]+$/),
      targetBranch: "main",
      deployStatus: "deployed",
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    }),
  );
});
