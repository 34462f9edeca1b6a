// Browser sessions: sign-in and sign-out, the cookie, and the origins from which a request with the
// cookie may come.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";

const world = apiWorld();
const organizations = "/api/organizations";
const keys = "/api/user/api-keys";
const relayKeys = `${organizations}/${world.workspaceId}/relay-keys`;

async function signInRaw(body: string, headers: Record<string, string> = {}) {
  const answer = await exchange(world.baseUrl, { method: "POST", path: "/dev/sign-in", headers, body });
  return { ...answer, json: JSON.parse(answer.text) };
}

async function readStatus(method: string, path: string, headers: Record<string, string>, body?: unknown) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await exchange(world.baseUrl, { method, path, headers, ...sent })).status;
}

test("a sign-in returns the user and sets a cookie that scripts and other sites cannot read", async () => {
  const { id } = world.users.member;
  const { status, json, headers } = await signInRaw(JSON.stringify({ userId: id }));
  expect(status).toBe(200);
  expect(json).toEqual({ data: { userId: id } });
  expect(headers["set-cookie"]).toEqual([
    expect.stringMatching(
      /^svc_session=svc_ses_[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ]);
});

test("a sign-in without a user or with an invalid user id is refused", async () => {
  expect(await signInRaw(JSON.stringify({ userId: "usr_nobody" }))).toMatchObject({ status: 404 });
  expect(await signInRaw(JSON.stringify({ userId: 7 }))).toMatchObject({
    status: 400,
    json: { code: "VALIDATION_ERROR" },
  });
  expect(await signInRaw("not json")).toMatchObject({ status: 400, json: { code: "VALIDATION_ERROR" } });
});

test("another site cannot sign in a user", async () => {
  const body = JSON.stringify({ userId: world.users.member.id });
  expect(await signInRaw(body, { origin: "http://evil.example" })).toMatchObject({ status: 403 });
});

test("the cookie has the permissions of its user", async () => {
  const owner = await signIn(world, "owner");
  expect((await owner.call("GET", organizations)).body).toEqual((await createClient(world).get(organizations)).body);
  const session = await owner.call("POST", `/api/projects/${world.projectId}/chat-sessions`, { title: "By cookie" });
  expect(session.status).toBe(201);
  const outsider = await signIn(world, "outsider");
  expect(await outsider.call("GET", `/api/projects/${world.projectId}`)).toMatchObject({ status: 403 });
});

test("a read needs no Origin header", async () => {
  const { cookie } = await signIn(world, "owner");
  expect(await readStatus("GET", organizations, { cookie })).toBe(200);
  expect(await readStatus("GET", organizations, { cookie, origin: "http://evil.example" })).toBe(200);
});

test("a write needs an Origin of the service", async () => {
  const { cookie } = await signIn(world, "owner");
  const { origin, host } = new URL(world.baseUrl);
  const create = (headers: Record<string, string>) =>
    readStatus("POST", relayKeys, { cookie, ...headers }, { name: "by cookie" });
  expect(await create({ origin })).toBe(201);
  expect(await create({})).toBe(403);
  for (const foreign of [
    "http://evil.example",
    "null",
    "",
    `https://${host}`,
    `http://preview.${host}`,
    `${origin}.evil.example`,
  ])
    expect(await create({ origin: foreign })).toBe(403);
});

test.each([
  ["PUT", `/api/projects/${world.projectId}/chat-sessions/${crypto.randomUUID()}/preview/files/content`],
  ["DELETE", `${keys}/${crypto.randomUUID()}`],
  ["POST", "/api/auth/sign-out"],
])("%s %s from another site is refused before any lookup", async (method, path) => {
  const { cookie } = await signIn(world, "owner");
  expect(await readStatus(method, path, { cookie, origin: "http://evil.example" })).toBe(403);
  expect(await readStatus(method, path, { cookie })).toBe(403);
  expect(await readStatus("GET", organizations, { cookie })).toBe(200);
});

test("a request with an Authorization header ignores the cookie", async () => {
  const { cookie, headers } = await signIn(world, "owner");
  const apiKey = `Bearer ${world.users.member.apiKey}`;
  expect(await readStatus("POST", relayKeys, { ...headers, authorization: apiKey }, { name: "a" })).toBe(403);
  expect(await readStatus("GET", organizations, { ...headers, authorization: "Bearer nonsense" })).toBe(401);
  expect(await readStatus("GET", organizations, { ...headers, authorization: "Basic b3duZXI6" })).toBe(401);
  // A key needs no Origin, whatever else the client stores.
  const owner = { cookie, authorization: `Bearer ${world.users.owner.apiKey}` };
  expect(await readStatus("POST", relayKeys, owner, { name: "a" })).toBe(201);
});

test("a browser session is not accepted as a bearer token, nor an API key as a cookie", async () => {
  const { cookie } = await signIn(world, "owner");
  const token = cookie.slice("svc_session=".length);
  expect(await readStatus("GET", organizations, { authorization: `Bearer ${token}` })).toBe(401);
  expect(await readStatus("GET", organizations, { cookie: `svc_session=${world.users.owner.apiKey}` })).toBe(401);
});

test("the cookie is found among other cookies, and a cookie with another name is ignored", async () => {
  const { cookie } = await signIn(world, "owner");
  expect(await readStatus("GET", organizations, { cookie: `theme=dark; ${cookie}; lang=en` })).toBe(200);
  expect(await readStatus("GET", organizations, { cookie: `other_${cookie}` })).toBe(401);
  expect(await readStatus("GET", organizations, { cookie: "svc_session=" })).toBe(401);
});

test("signing out ends only this browser session and deletes its cookie", async () => {
  const [here, there] = [await signIn(world, "member"), await signIn(world, "member")];
  const out = await here.call("POST", "/api/auth/sign-out");
  expect(out.status).toBe(204);
  expect(out.headers.get("set-cookie")).toMatch(/^svc_session=; Path=\/; Max-Age=0; /);
  expect(await here.call("GET", organizations)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect(await there.call("GET", organizations)).toMatchObject({ status: 200 });
});
