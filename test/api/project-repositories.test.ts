// Projects of repositories: a user who may not push to a repository, or does not see it, cannot
// create a project for it.
import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { openStream, type StreamEvent } from "../support/event-stream.ts";
import { startBrowser } from "../support/sign-in-browser.ts";
import { until } from "../support/until.ts";
import { readSecrets } from "../support/world-secrets.ts";

const world = apiWorld();
const admin = createClient(world, "admin");
const { codeHostToken } = readSecrets(world);
const repository = "acme/demo-app";

async function atHost(method: string, path: string, body?: unknown): Promise<number> {
  const answer = await fetch(`${world.forgeUrl}/repos/${path}`, {
    method,
    headers: { authorization: `Bearer ${codeHostToken}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.status;
}
const adam = `${repository}/collaborators/adam-admin`;
beforeAll(async () => {
  const { cookie } = await signIn(world, "admin");
  expect((await startBrowser(world, cookie).signIn("adam-admin")).status).toBe(302);
});
afterEach(() => atHost("PUT", adam, { permission: "push" }));

const create = (named: string, headers: Record<string, string> = {}) =>
  admin.post("/api/projects", { orgId: world.workspaceId, name: "Another", repository: named }, headers);

test("a user who may only read creates none, and one who does not see the repository gets the response of one that does not exist", async () => {
  expect(await atHost("PUT", adam, { permission: "pull" })).toBe(204);
  expect(await create(repository)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  expect(await atHost("DELETE", adam)).toBe(204);
  const unseen = await create(repository);
  const unknown = await create("acme/nowhere");
  expect(unseen).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  expect(unknown.body.error.replace("acme/nowhere", repository)).toBe(unseen.body.error);
});

test("a repository without the service's app is refused with the way to install it, which works", async () => {
  expect(await atHost("DELETE", `${repository}/installation`)).toBe(204);
  const closed = await create(repository);
  expect(closed).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  expect(closed.body.error).toContain("install the service's app for this repository");
  expect(await atHost("PUT", `${repository}/installation`)).toBe(204);
  const opened = await create(repository);
  expect(opened.status).toBe(201);
  expect((await admin.delete(`/api/projects/${opened.body.data.id}`)).status).toBe(204);
});

test("a user who may push creates a project, which its workspace is notified of, and deletes it", async () => {
  const bearer = { authorization: `Bearer ${world.users.admin.apiKey}` };
  const stream = await openStream(world.baseUrl, `/api/organizations/${world.workspaceId}/events`, bearer);
  await stream.received("reset");
  const made = await create(repository);
  expect(made).toMatchObject({ status: 201, body: { data: { repository, deployStatus: "idle" } } });
  // The workspace may also be notified of the projects of other tests.
  const { id } = made.body.data;
  const isOwn = ({ event, data }: StreamEvent) => event === "project" && JSON.parse(data).project.id === id;
  const { data } = await until("the event of the project", () => stream.events.find(isOwn));
  expect(JSON.parse(data)).toEqual({ project: made.body.data });
  stream.leave();
  expect((await admin.delete(`/api/projects/${id}`)).status).toBe(204);
});

test("a create that is sent many times concurrently under one key creates one project", async () => {
  const key = { "Idempotency-Key": randomUUID() };
  const answers = await Promise.all(Array.from({ length: 6 }, () => create(repository, key)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  const [id, ...others] = new Set(answers.map(({ body }) => body.data.id));
  expect(others).toEqual([]);
  expect((await admin.delete(`/api/projects/${id}`)).status).toBe(204);
});
