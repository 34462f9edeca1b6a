// The repositories from which a person chooses one for a new project: those that they and the
// service's app both reach, with their own tokens at the code host.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { type Browser, signIn } from "../support/browser.ts";
import { startBrowser } from "../support/sign-in-browser.ts";
import { readSecrets } from "../support/world-secrets.ts";

const world = apiWorld();
const authorization = `Bearer ${readSecrets(world).codeHostToken}`;
const [repository, login] = ["acme/demo-app", "otto-outsider"];
const person = `/repos/${repository}/collaborators/${login}`;
const installation = `/repos/${repository}/installation`;
let browser: Browser;
let workspace: string;

async function atHost(method: string, path: string, body?: object): Promise<void> {
  const init = { method, headers: { authorization }, ...(body && { body: JSON.stringify(body) }) };
  expect((await fetch(world.forgeUrl + path, init)).ok).toBe(true);
}
const connect = async () => expect((await startBrowser(world, browser.cookie).signIn(login)).status).toBe(302);
const disconnect = () => browser.call("POST", "/api/auth/github/disconnect");
const list = (query: Record<string, string> = {}) =>
  browser.call("GET", `/api/user/code-host/repositories?${new URLSearchParams({ workspace, ...query })}`);

async function find(): Promise<object | null> {
  const { status, body } = await list();
  expect(status).toBe(200);
  return body.data.repositories.find((one: { repository: string }) => one.repository === repository) ?? null;
}

beforeAll(async () => {
  browser = await signIn(world, "outsider");
  workspace = (await browser.call("POST", "/api/organizations", { name: "Choosing" })).body.data.id;
});
beforeEach(connect);
afterEach(async () => {
  await atHost("PUT", person, { permission: "push" });
  await atHost("PUT", installation);
});
afterAll(async () => {
  await disconnect();
  await browser.call("DELETE", `/api/organizations/${workspace}`, { name: "Choosing" });
});

test("a person finds a repository, with what they may do there, and where to install the app for others", async () => {
  const { status, body } = await list({ search: "DEMO-APP" });
  expect(status).toBe(200);
  const found = { repository, defaultBranch: "main", isPrivate: true, mayPush: true, projectId: null };
  expect(body.data).toEqual({
    repositories: [{ ...found, pushedAt: expect.stringMatching(/^\d{4}-.*Z$/) }],
    total: expect.any(Number),
    installUrl: `${world.forgeUrl}/apps/switchyard/installations/new`,
  });
  const none = await list({ search: "no-such-thing" });
  expect(none.body.data).toEqual({ ...body.data, repositories: [] });
  expect(JSON.stringify(body)).not.toMatch(/gh[a-z]_/);
});

test("a repository that the person does not see, or that is without the app, is not listed", async () => {
  await atHost("PUT", person, { permission: "pull" });
  expect(await find()).toMatchObject({ mayPush: false });
  await atHost("DELETE", person);
  expect(await find()).toBeNull();
  await atHost("PUT", person, { permission: "push" });
  await atHost("DELETE", installation);
  expect(await find()).toBeNull();
});

test("a repository has the project of it in the workspace, and in no other", async () => {
  const made = await browser.call("POST", "/api/projects", { orgId: workspace, name: "Elsewhere", repository });
  const { id } = made.body.data;
  expect(await find()).toMatchObject({ projectId: id });
  expect((await browser.call("DELETE", `/api/projects/${id}`)).status).toBe(204);
  expect(await find()).toMatchObject({ projectId: null });
});

test.each([
  ["of others", () => world.workspaceId, 403],
  ["that does not exist", () => "ws_nobody", 404],
])("a workspace %s is refused", async (_, getId, status) => {
  expect((await list({ workspace: getId() })).status).toBe(status);
});

test("without an account at the code host, the refusal says where to connect one", async () => {
  await disconnect();
  const refused = await list();
  expect(refused).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  expect(refused.body.error).toContain("/api/auth/github/connect");
});

test("tokens that have expired are renewed, once for calls at the same time", async () => {
  for (let round = 0; round < 2; round++) {
    await atHost("DELETE", "/practice/tokens");
    const answers = await Promise.all([list(), list(), list()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  }
});

test("a connection that was revoked at the code host is refused until it is made again", async () => {
  await atHost("DELETE", `/practice/grants/${login}`);
  const refused = await list();
  expect(refused).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  expect(refused.body.error).toContain(`no longer accepts the connection of your account ${login}`);
  await connect();
  expect(await find()).toMatchObject({ repository });
});
