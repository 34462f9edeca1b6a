// The operator's commands: who is admitted, and what each creates. And the health of the service.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { saveIdentity } from "../../../src/account/queries.ts";
import { listAuditEvents } from "../../../src/audit/queries.ts";
import type { Env } from "../../../src/env.ts";
import { deleteParked, saveParked } from "../../../src/operator/queries.ts";
import { handleHealthProbe, handleOperatorCommand } from "../../../src/operator/route.ts";
import { addUser } from "../support/people.ts";
import { host } from "../support/sandbox-driver.ts";

const key = "k".repeat(32);
let login: string;
let userId: string;
beforeEach(async () => {
  login = `Ada-${crypto.randomUUID()}`;
  userId = await addUser("Ada");
  const account = { login, name: "Ada", email: "ada@example.com", sealed: "k1.x", expiresAt: null, createdAt: 0 };
  await saveIdentity(env.DB, { userId, hostUserId: crypto.randomUUID(), ...account } as Parameters<
    typeof saveIdentity
  >[1]);
});

async function send(command: object, given = `Bearer ${key}`, held = key, more: Partial<Env> = {}) {
  const headers = { authorization: given, "content-type": "application/json" };
  const request = new Request("https://service/internal/operator", {
    method: "POST",
    headers,
    body: JSON.stringify(command),
  });
  const counter = { limit: async () => ({ success: true }) };
  const service = { ...env, FAILED_CREDENTIALS: counter, OPERATOR_KEY: held, PUBLIC_URL: "https://service", ...more };
  const answer = await handleOperatorCommand(request, service as unknown as Env);
  const body = (await answer.json()) as { data?: Record<string, string>; error?: string };
  return { status: answer.status, ...body };
}

test("a person's first workspace is theirs, on any plan, with a key of theirs", async () => {
  const made = await send({ command: "owner", login: login.toLowerCase(), name: "Trains" });
  expect(made).toMatchObject({ status: 200, data: { plan: "free", owner: login.toLowerCase() } });
  const slug = made.data?.slug ?? "";
  const role = await env.DB.prepare("SELECT role FROM members WHERE workspace_id = ?1 AND user_id = ?2")
    .bind(made.data?.id, userId)
    .first("role");
  expect(role).toBe("owner");
  expect(await send({ command: "owner", login, name: "Trains", slug })).toMatchObject({ status: 409 });
  expect(await send({ command: "plan", workspace: slug, plan: "team" })).toMatchObject({ status: 200 });
  const range = { workspaceId: made.data?.id ?? "", since: 0, until: Date.now() + 1, before: "g" };
  expect(await listAuditEvents(env.DB, range, 5)).toMatchObject([
    {
      ...{ operation: "operator.plan", actor: { kind: "operator" }, via: "operator" },
      target: { workspace: slug, plan: "team" },
    },
    { operation: "operator.owner", target: { login: login.toLowerCase(), name: "Trains" } },
  ]);
  const plan = env.DB.prepare("SELECT plan FROM workspaces WHERE slug = ?1").bind(slug);
  expect(await plan.first("plan")).toBe("team");
  const { data } = await send({ command: "key", login, name: "CI" });
  expect(data?.key).toMatch(/^svc_key_/);
});

test.each<[string, object, number, RegExp]>([
  ["somebody who never signed in", { command: "owner", login: "nobody", name: "X" }, 404, /account first/],
  ["a workspace that is not there", { command: "plan", workspace: "nowhere", plan: "team" }, 404, /no workspace/],
  ["a plan that is not there", { command: "plan", workspace: "nowhere", plan: "gold" }, 400, /plan/],
  ["an unknown command", { command: "drop" }, 400, /command/],
])("%s is refused", async (_, command, status, error) => {
  expect(await send(command)).toMatchObject({ status, error: expect.stringMatching(error) });
});

test("no other key is accepted, and without a key, or with a short one, the path does not exist", async () => {
  const command = { command: "plan", workspace: "nowhere", plan: "team" };
  expect((await send(command, `Bearer ${"l".repeat(32)}`)).status).toBe(401);
  expect((await send(command, "")).status).toBe(401);
  const short = "k".repeat(31);
  expect([await send(command, `Bearer ${short}`, short), await send(command, "Bearer ", "")]).toMatchObject([
    { status: 404, error: "There is no such path." },
    { status: 404, error: "There is no such path." },
  ]);
});

test("a sandbox is tried, and stopped again, with the key of the operator or of the last deployment", async () => {
  host.forget();
  expect(await send({ command: "try" })).toMatchObject({
    status: 200,
    data: { image: env.SANDBOX_PROGRAM, ms: expect.stringMatching(/^\d+$/) },
  });
  expect(host.happened.map((what) => what.split(" ")[0])).toEqual(["start", "GET", "stop"]);
  expect(host.running.size).toBe(0);

  const deployment = "d".repeat(32);
  const asDeployment = (command: object) => send(command, `Bearer ${deployment}`, "", { DEPLOYMENT_KEY: deployment });
  expect((await asDeployment({ command: "try" })).status).toBe(200);
  expect((await asDeployment({ command: "parked" })).status).toBe(401);
});

test("a sandbox that does not start is reported with its reason", async () => {
  const failing = { SANDBOX_HOST_URL: "http://no-sandbox-host.test" };
  expect(await send({ command: "try" }, undefined, undefined, failing)).toMatchObject({
    status: 503,
    error: expect.stringContaining("A sandbox does not start: "),
  });
});

test("parked work is listed with its reason, and repeated", async () => {
  const name = crypto.randomUUID();
  await env.DB.prepare("INSERT INTO parked_effects VALUES ('sandbox', ?1, 'end:3', 20, 'no such host', 0)")
    .bind(name)
    .run();
  const { data } = await send({ command: "parked" });
  expect(data?.[`sandbox ${name} end:3`]).toBe("since 1970-01-01T00:00:00.000Z, 20 tries: no such host");
  expect(await send({ command: "retry", object: "cron", name })).toMatchObject({ status: 404 });
  expect((await send({ command: "parked" })).data).toHaveProperty([`sandbox ${name} end:3`]);
  expect(await send({ command: "retry", object: "login", name })).toMatchObject({ status: 400 });
});

test("workspaces are listed with this month's use, and people with their roles", async () => {
  const slug = `use-${crypto.randomUUID()}`.slice(0, 20);
  const { data: made } = await send({ command: "owner", login, name: "Trains", slug });
  await env.DB.batch([
    env.DB.prepare("INSERT INTO workspace_spend VALUES (?1, strftime('%Y-%m', 'now'), 9e15)").bind(made?.id),
    env.DB.prepare("INSERT INTO running_time VALUES (?1, strftime('%Y-%m', 'now'), 5400000)").bind(made?.id),
  ]);
  const { data: workspaces } = await send({ command: "workspaces" });
  const use = "free, members: 1, projects: 0, this month: 1.5 hours of sandboxes, 9000000.00 dollars of models";
  expect(workspaces).toHaveProperty([slug], use);
  // The most expensive one is the first after the number.
  expect(Object.keys(workspaces ?? {}).slice(0, 2)).toEqual(["all workspaces", slug]);
  const { data: people } = await send({ command: "people" });
  expect(people?.["all people"]).toMatch(/^\d+$/);
  expect(people?.[login]).toMatch(new RegExp(`^Ada, since \\d{4}-\\d\\d-\\d\\d, owner of ${slug}$`));
});

test("a workspace and a person are suspended, listed as that, resumed, and in the audit log", async () => {
  const slug = `bars-${crypto.randomUUID()}`.slice(0, 20);
  const { data: made } = await send({ command: "owner", login, name: "Trains", slug });
  const suspended = { status: 200, data: { suspended: "yes", stopped: "0" } };
  const day = new Date().toISOString().slice(0, 10);
  for (const [type, name, list] of [["workspace", slug, "workspaces"] as const, ["person", login, "people"] as const]) {
    expect(await send({ command: "suspend", type, name })).toMatchObject(suspended);
    expect((await send({ command: list })).data?.[name]).toContain(`, suspended on ${day}`);
    expect(await send({ command: "resume", type, name })).toMatchObject({ data: { suspended: "no" } });
    expect((await send({ command: list })).data?.[name]).not.toContain("suspended");
    expect(await send({ command: "suspend", type, name: "nobody-here" })).toMatchObject({ status: 404 });
  }
  const range = { workspaceId: made?.id ?? "", since: 0, until: Date.now() + 1, before: "g" };
  const events = (await listAuditEvents(env.DB, range, 9)).map(({ operation, target }) => [operation, target]);
  expect(events).toEqual(
    expect.arrayContaining([
      ["operator.suspend", { workspace: slug }],
      ["operator.resume", { person: login }],
    ]),
  );
});

test("a probe with the operator's key gets the figures, and 503 while an effect is parked", async () => {
  const counter = { limit: async () => ({ success: true }) };
  const deploymentKey = "d".repeat(32);
  const probe = async (given: string) => {
    const request = new Request("https://service/internal/health", { headers: { authorization: `Bearer ${given}` } });
    const more = { FAILED_CREDENTIALS: counter, OPERATOR_KEY: key, DEPLOYMENT_KEY: deploymentKey };
    const answer = await handleHealthProbe(request, { ...env, ...more } as unknown as Env);
    return { status: answer.status, body: (await answer.json()) as { data?: { problems: string[] } } };
  };
  expect([(await probe("x".repeat(32))).status, (await probe(deploymentKey)).status]).toEqual([401, 401]);
  const name = crypto.randomUUID();
  await saveParked(env.DB, { object: "session", name, key: "k", attempts: 20, reason: "r" }, 0);
  const parked = await probe(key);
  expect(parked).toMatchObject({ status: 503, body: { data: { turns: { running: expect.any(Number) } } } });
  expect(parked.body.data?.problems).toContainEqual(expect.stringMatching(/^Parked effects: \d+\.$/));
  await deleteParked(env.DB, "session", name);
  // Other tests share the database, and may have work of their own parked.
  const { status, body } = await probe(key);
  expect(status).toBe(body.data?.problems.length === 0 ? 200 : 503);
});
