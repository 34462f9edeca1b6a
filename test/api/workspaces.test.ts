// A workspace from its creation to its members, as people in browsers use it.
import { afterEach, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { type Browser, signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";

const world = apiWorld();
const organizations = "/api/organizations";
const toAddress = (person: string) => `${person}@example.com`;

/** The workspaces that a test created, owned by the outsider or the member. */
const made: string[] = [];
afterEach(async () => {
  for (const path of made.splice(0))
    for (const person of ["outsider", "member"] as const) {
      const browser = await signIn(world, person);
      const { data } = (await browser.call("GET", path)).body;
      if (data?.role === "owner") await browser.call("DELETE", path, { name: data.name });
    }
});

/** Creates a workspace of the outsider's, and invites the member. */
async function invited() {
  const [boss, guest] = await Promise.all([signIn(world, "outsider"), signIn(world, "member")]);
  const slug = `shared-${crypto.randomUUID().slice(0, 8)}`;
  const answer = await boss.call("POST", organizations, { name: "Shared", slug });
  expect(answer).toMatchObject({ status: 201, body: { data: { slug, role: "owner", plan: "free", timezone: "UTC" } } });
  const path = `${organizations}/${answer.body.data.id}`;
  made.push(path);
  const { token } = await invite(boss, path, "member");
  return { boss, guest, path, id: answer.body.data.id as string, slug, token };
}

/** Such a workspace, after the member has accepted. */
async function shared() {
  const { slug, ...made } = await invited();
  const accepted = await made.guest.call("POST", `/api/invitations/${made.token}/accept`);
  expect(accepted).toMatchObject({ status: 200, body: { data: { id: made.id, slug } } });
  return made;
}

async function invite(by: Browser, path: string, person: string) {
  const invited = await by.call("POST", `${path}/invitations`, { email: toAddress(person), role: "member" });
  expect(invited.status).toBe(201);
  return invited.body.data as { id: string; token: string; url: string };
}

const readIds = async (of: { call: Browser["call"] }) =>
  (await of.call("GET", organizations)).body.data.map(({ id }: { id: string }) => id);

test("an invited user has access immediately, and a member who was removed loses it with the next request", async () => {
  const { boss, guest, path, id, token } = await shared();
  const key = createClient(world, "member");
  expect(await readIds(boss)).toContain(id);
  expect(await readIds(guest)).toContain(id);
  const names = (await guest.call("GET", `${path}/members`)).body.data.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["Mia Member", "Otto Outsider"]);
  expect(await guest.call("POST", `/api/invitations/${token}/accept`)).toMatchObject({ status: 404 });
  expect(await key.get(path)).toMatchObject({ status: 200, body: { data: { role: "member" } } });
  expect((await boss.call("DELETE", `${path}/members/${world.users.member.id}`)).status).toBe(204);
  expect(await guest.call("GET", path)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  expect(await key.get(path)).toMatchObject({ status: 403 });
  expect(await readIds(key)).not.toContain(id);
});

test("ownership can be transferred, and only then may the first owner leave", async () => {
  const { boss, guest, path } = await shared();
  const userId = world.users.member.id;
  expect(await boss.call("POST", `${path}/leave`)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  expect(await boss.call("POST", `${path}/transfer-ownership`, { userId: "usr_nobody" })).toMatchObject({
    status: 404,
  });
  expect((await boss.call("POST", `${path}/transfer-ownership`, { userId })).status).toBe(204);
  expect(await guest.call("GET", path)).toMatchObject({ body: { data: { role: "owner" } } });
  expect(await boss.call("POST", `${path}/transfer-ownership`, { userId })).toMatchObject({ status: 403 });
  expect(await boss.call("PATCH", `${path}/members/${userId}`, { role: "member" })).toMatchObject({ status: 400 });
  const outsider = `${path}/members/${world.users.outsider.id}`;
  const changed = await guest.call("PATCH", outsider, { role: "member" });
  expect(changed).toMatchObject({ status: 200, body: { data: { name: "Otto Outsider", role: "member" } } });
  expect(await guest.call("PATCH", outsider, { role: "owner" })).toMatchObject({ status: 400 });
  expect((await boss.call("POST", `${path}/leave`)).status).toBe(204);
  expect((await boss.call("GET", path)).status).toBe(403);
});

test("a workspace is changed by its admins with any credential; memberships only in a browser", async () => {
  const { guest, path } = await shared();
  const [owner, member] = [createClient(world, "outsider"), createClient(world, "member")];
  const defaultModel = "kimi:kimi__high";
  expect(await owner.call("PATCH", path, { name: " Renamed ", defaultModel })).toMatchObject({
    status: 200,
    body: { data: { name: "Renamed", defaultModel } },
  });
  expect(await owner.put(`${path}/timezone`, { timezone: "Asia/Kolkata" })).toMatchObject({ status: 200 });
  expect(await owner.put(`${path}/timezone`, { timezone: "+05:30" })).toMatchObject({ status: 400 });
  expect(await member.get(path)).toMatchObject({ body: { data: { name: "Renamed", timezone: "Asia/Kolkata" } } });
  for (const refused of [await member.call("PATCH", path, { name: "Mine" }), await guest.call("PATCH", path, {})])
    expect(refused).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  for (const [method, rest] of [
    ["POST", "/invitations"],
    ["GET", "/invitations"],
    ["POST", "/leave"],
    ["POST", "/transfer-ownership"],
    ["DELETE", `/members/${world.users.member.id}`],
  ] as const)
    expect(await owner.call(method, path + rest)).toMatchObject({ status: 403 });
});

test("invitations are listed with their tokens and URLs, only for admins", async () => {
  const { boss, guest, path } = await shared();
  const invited = await invite(boss, path, "admin");
  expect(invited.url).toBe(`${world.baseUrl}/invitations/${invited.token}`);
  expect((await boss.call("GET", `${path}/invitations`)).body.data).toEqual([invited]);
  expect((await guest.call("GET", `${path}/invitations`)).status).toBe(403);
  expect((await guest.call("POST", `${path}/invitations`, { email: "a@example.com", role: "member" })).status).toBe(
    403,
  );
  const again = await boss.call("POST", `${path}/invitations`, { email: toAddress("MEMBER"), role: "admin" });
  expect(again).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
  expect((await boss.call("DELETE", `${path}/invitations/${invited.id}`)).status).toBe(204);
  expect((await boss.call("DELETE", `${path}/invitations/${invited.id}`)).status).toBe(404);
});

test("the page of an invitation accepts its form only from a page of the service", async () => {
  const { boss, path } = await shared();
  const { url } = await invite(boss, path, "owner");
  const owner = await signIn(world, "owner");
  const post = (headers: Record<string, string>) => fetch(url, { method: "POST", headers, redirect: "manual" });
  const page = async () => await (await fetch(url, { headers: { cookie: owner.cookie } })).text();
  expect((await post({ cookie: owner.cookie, origin: "http://evil.example" })).status).toBe(303);
  expect(await page()).toContain("Join Shared");
  expect((await post(owner.headers)).status).toBe(303);
  expect(await page()).toContain("You are a member of Shared");
  expect(await page()).toContain('href="/"');
});

test("a deleted workspace is immediately not found on any route", async () => {
  const { boss, guest, path, id } = await shared();
  const invited = await invite(boss, path, "admin");
  const key = createClient(world, "outsider");
  const relay = await key.post(`${path}/relay-keys`, { name: "chat" });
  expect(await guest.call("DELETE", path, { name: "Shared" })).toMatchObject({ status: 403 });
  expect(await boss.call("DELETE", path, { name: "shared" })).toMatchObject({ status: 400 });
  expect((await boss.call("DELETE", path, { name: "Shared" })).status).toBe(204);
  for (const rest of ["", "/members", "/credentials", "/access-status", "/relay-keys", "/sandbox-limit"])
    expect(await key.get(path + rest)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  expect(await guest.call("POST", `${path}/leave`)).toMatchObject({ status: 404 });
  expect(await key.get(`/api/chat-sessions?workspace=${id}`)).toMatchObject({ status: 404 });
  const admin = await signIn(world, "admin");
  expect(await admin.call("POST", `/api/invitations/${invited.token}/accept`)).toMatchObject({ status: 404 });
  const headers = { authorization: `Bearer ${relay.body.data.key}` };
  expect((await fetch(`${world.baseUrl}${path}`, { headers })).status).toBe(401);
  for (const browser of [boss, guest]) expect(await readIds(browser)).not.toContain(id);
});

test("a workspace's keys are tested, shown masked, and shown to members as the models that they can run", async () => {
  const { boss, guest, path } = await shared();
  const keys = `${path}/credentials`;
  const put = (provider: string, apiKey: string) => boss.call("PUT", `${keys}/${provider}`, { apiKey });
  const refused = await put("kimi", "sk-practice-basic-0123456789");
  expect(refused).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", error: expect.stringMatching(/membership/) },
  });
  expect(await put("anthropic", "sk-practice-refused-0123456789")).toMatchObject({ status: 400 });
  expect((await put("openai", "sk-practice-limit-of-somebody-0123456789")).status).toBe(204);
  expect(await put("nobody", "sk-practice-0123456789")).toMatchObject({ status: 400 });
  expect((await boss.call("GET", keys)).body.data).toMatchObject({
    anthropic: null,
    openai: { kind: "organization", maskedApiKey: "sk-p…6789" },
    kimi: null,
  });
  const { providers } = (await guest.call("GET", `${path}/access-status`)).body.data;
  expect(providers).toMatchObject({ openai: { canRun: true, via: "workspace" }, kimi: { canRun: false, via: null } });
  expect((await guest.call("GET", keys)).status).toBe(403);
  expect((await boss.call("DELETE", `${keys}/openai`)).status).toBe(204);
  expect((await boss.call("GET", keys)).body.data.openai).toBeNull();
});

async function readData<Data>(answer: Response): Promise<Data> {
  return ((await answer.json()) as { data: Data }).data;
}

test("a logo is returned as the image, at a public URL that changes with it", async () => {
  const { boss, path } = await shared();
  const put = (at: string, body: BodyInit, type = "image/png") =>
    fetch(world.baseUrl + at, { method: "PUT", headers: { ...boss.headers, "content-type": type }, body });
  const png = Uint8Array.from("\x89PNG\r\n\x1a\n and the rest", (character) => character.charCodeAt(0));
  const first = await put(`${path}/logo`, png, "text/html");
  expect(first.status).toBe(200);
  const { logo } = await readData<{ logo: string }>(first);
  expect((await boss.call("GET", path)).body.data.logo).toBe(logo);
  const shown = await fetch(logo);
  expect(new Uint8Array(await shown.arrayBuffer())).toEqual(png);
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    "content-type": "image/png",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  });
  expect(await readData<{ logo: string }>(await put(`${path}/logo`, png))).not.toEqual({ logo });
  expect((await put(`${path}/logo`, "<svg></svg>")).status).toBe(400);
  expect((await put(`${path}/logo`, new Uint8Array(1_048_577).fill(1))).status).toBe(413);
  expect((await boss.call("DELETE", `${path}/logo`)).status).toBe(204);
  expect((await boss.call("GET", path)).body.data.logo).toBeNull();
  const { imageUrl } = await readData<{ imageUrl: string }>(await put("/api/user/profile-image", png));
  expect((await boss.call("GET", `${path}/members`)).body.data[1]).toMatchObject({ imageUrl });
  expect((await fetch(`${world.baseUrl}/pictures/nobody`)).status).toBe(404);
});

test("the end of the onboarding takes the fields of the profile, and nothing else", async () => {
  const browser = await signIn(world, "outsider");
  const profile = async () => (await browser.call("GET", "/api/user/profile")).body.data;
  const complete = (body?: object) => browser.call("POST", "/api/user/complete-onboarding", body);
  const { name, marketingEmails } = await profile();
  expect(await complete({ name: "Otto", colour: "green" })).toMatchObject({ status: 400 });
  expect(await profile()).toMatchObject({ name, marketingEmails });
  expect((await complete({ marketingEmails: !marketingEmails, replyStyle: "not_tech" })).status).toBe(204);
  const changed = { name, marketingEmails: !marketingEmails, replyStyle: "not_tech", onboardingCompleted: true };
  expect(await profile()).toMatchObject(changed);
  for (const body of [undefined, {}]) expect((await complete(body)).status).toBe(204);
  expect(await profile()).toMatchObject(changed);
  await browser.call("PUT", "/api/user/profile", { marketingEmails, replyStyle: "standard" });
});

test("the owner reads who changed what, and nobody else does", async () => {
  const { boss, guest, path, id, token } = await shared();
  expect(await boss.call("PATCH", path, { name: "Shared more" })).toMatchObject({ status: 200 });
  const key = await guest.makeKey();
  const { status, body } = await boss.call("GET", `${path}/audit?limit=4`);
  expect(status).toBe(200);
  expect(body.data).toMatchObject([
    { operation: "createApiKey", actor: { kind: "member", userId: "usr_member" }, target: { id: key.id } },
    {
      operation: "changeWorkspace",
      actor: { kind: "member", userId: "usr_outsider" },
      via: "browser",
      target: { workspaceId: id },
    },
    {
      operation: "acceptInvitation",
      actor: { kind: "member", userId: "usr_member", name: "Mia Member" },
      target: { id },
    },
    {
      operation: "createInvitation",
      target: { workspaceId: id, id: expect.any(String) },
      requestId: expect.any(String),
    },
  ]);
  for (const secret of [token, key.key, "Shared more"]) expect(JSON.stringify(body)).not.toContain(secret);
  const { nextCursor } = body.meta.pagination;
  const next = await boss.call("GET", `${path}/audit?cursor=${nextCursor}`);
  expect(next.body).toMatchObject({
    data: [{ operation: "createWorkspace" }],
    meta: { pagination: { hasMore: false } },
  });
  expect(await guest.call("GET", `${path}/audit`)).toMatchObject({ status: 403 });
  for (const wrong of ["since=yesterday", "until=2026-02-30", "cursor=1"])
    expect(await boss.call("GET", `${path}/audit?${wrong}`)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST" },
    });
});

test("the audit log has no call that changed nothing", async () => {
  const { boss, path } = await invited();
  const subscription = "/api/user/subscriptions/kimi";
  await boss.call("DELETE", subscription);
  const read = async () => (await boss.call("GET", `${path}/audit`)).body.data.map(({ id }: { id: string }) => id);
  const before = await read();
  expect(await boss.call("PATCH", path, {})).toMatchObject({ status: 200, body: { data: { name: "Shared" } } });
  for (const [method, of, body] of [
    ["DELETE", subscription, undefined],
    ["PUT", `${subscription}/logins/order`, { ids: [] }],
    ["PUT", "/api/user/profile", {}],
  ] as const)
    expect((await boss.call(method, of, body)).status).toBe(204);
  expect(await read()).toEqual(before);
});

test("the audit log has what the page of an invitation changes", async () => {
  const { boss, guest, path, id, token } = await invited();
  const submit = async (fields: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    const page = `${world.baseUrl}/invitations/${token}`;
    const answer = await fetch(page, { method: "POST", headers: guest.headers, body, redirect: "manual" });
    expect(answer.status).toBe(303);
  };
  await submit({});
  // The invitation is used by then, which is no change.
  await submit({});
  await submit({ "sign-out": "yes" });
  const { data } = (await boss.call("GET", `${path}/audit`)).body;
  const byGuest = data.filter(({ actor }: { actor: { userId: string } }) => actor.userId === world.users.member.id);
  const caller = { via: "browser", keyId: expect.any(String), requestId: expect.any(String) };
  expect(byGuest).toMatchObject([
    { ...caller, operation: "signOut", target: {} },
    { ...caller, operation: "acceptInvitation", target: { id } },
  ]);
  expect((await guest.call("GET", path)).status).toBe(401);
});
