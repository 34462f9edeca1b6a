// Sign-in from a terminal: a program without a credential starts it, a person approves it on a
// page, and the program fetches the key.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { type Browser, signIn } from "../support/browser.ts";
import { clientWith } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const day = 86_400_000;

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await exchange(world.baseUrl, { method: "POST", path, body: JSON.stringify(body), headers });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

async function start(asked: object = { client: "sy 5.0.0", name: "sy on laptop" }, address = "192.0.2.1") {
  return (await post("/api/auth/device", asked, { "cf-connecting-ip": address })).body.data;
}

const complete = async (loginToken: string) => (await post("/api/auth/device/complete", { loginToken })).body.data;

/** Posts the form of the page. */
async function submit(headers: Record<string, string>, fields: Record<string, string>) {
  const answer = await exchange(world.baseUrl, {
    method: "POST",
    path: "/device",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  return { ...answer, heading: /<h1[^>]*>(.*?)<\/h1>/.exec(answer.text)?.[1] };
}

const decide = (browser: Browser, code: string, decision: string, more: Record<string, string> = {}) =>
  submit(browser.headers, { code, decision, ...more });

const approved = "The terminal is signed in";
const ask = "Sign in from a terminal";

test("an approved terminal fetches its key once, and the key is the person's", async () => {
  const started = await start();
  expect(started).toEqual({
    loginToken: expect.stringMatching(/^svc_dev_[\w-]{43}$/),
    userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
    verificationUrl: `${world.baseUrl}/device`,
    intervalSeconds: 5,
    expiresAt: expect.any(String),
  });
  expect(Date.parse(started.expiresAt) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
  expect(await complete(started.loginToken)).toEqual({ authenticated: false, intervalSeconds: 5 });
  const member = await signIn(world, "member");
  expect((await decide(member, started.userCode.toLowerCase(), "approve")).heading).toBe(approved);
  const keysOf = async () => (await member.call("GET", "/api/user/api-keys")).body.data;
  const before = (await keysOf()).length;
  const answers = await Promise.all([1, 2, 3].map(() => complete(started.loginToken)));
  const [{ key }, ...others] = answers.toSorted((one) => (one.key ? -1 : 1));
  expect(others).toEqual([{ authenticated: true }, { authenticated: true }]);
  expect(await complete(started.loginToken)).toEqual({ authenticated: true });
  expect(await keysOf()).toHaveLength(before + 1);
  const own = await clientWith(world, key).get("/api/user/api-keys/current");
  expect(own.body.data).toMatchObject({ name: "sy on laptop", lastFour: key.slice(-4) });
  expect(Math.round((Date.parse(own.body.data.expiresAt) - Date.now()) / day)).toBe(90);
  expect((await clientWith(world, key).get("/api/user/profile")).body.data.id).toBe(world.users.member.id);
});

test.each([
  ["never", null],
  ["30", 30],
  ["365", 365],
  ["99999", 90],
  ["-1", 90],
  ["x", 90],
])("a person chooses %s days", async (days, expected) => {
  const { userCode, loginToken } = await start();
  await decide(await signIn(world, "outsider"), userCode, "approve", { days });
  const { key } = await complete(loginToken);
  const found = await createInside(world).sql("SELECT expires_at FROM keys WHERE last_four = ?1", key.slice(-4));
  const expiresAt = found[0]?.expires_at as number | null;
  expect(expiresAt === null ? null : Math.round((expiresAt - Date.now()) / day)).toBe(expected);
});

test("a denied terminal starts again, and nobody can approve it afterwards", async () => {
  const { userCode, loginToken } = await start();
  const member = await signIn(world, "member");
  expect((await decide(member, userCode, "deny")).heading).toBe("The sign-in is denied");
  expect((await decide(member, userCode, "approve")).heading).toBe(ask);
  expect(await complete(loginToken)).toEqual({ authenticated: false, restart: true });
});

test("a sign-in is over after its time, for the page and for the terminal", async () => {
  const [asked, approvedInTime] = [await start(), await start()];
  const member = await signIn(world, "member");
  await decide(member, approvedInTime.userCode, "approve");
  const codes = [asked.userCode, approvedInTime.userCode];
  await createInside(world).sql("UPDATE device_sign_ins SET expires_at = 1 WHERE user_code IN (?1, ?2)", ...codes);
  expect((await submit(member.headers, { code: asked.userCode })).heading).toBe(ask);
  expect((await decide(member, asked.userCode, "approve")).heading).toBe(ask);
  for (const { loginToken } of [asked, approvedInTime])
    expect(await complete(loginToken)).toEqual({ authenticated: false, restart: true });
});

test("only a person in a browser decides, from the page itself", async () => {
  const { userCode, loginToken } = await start();
  const member = await signIn(world, "member");
  const { key } = await member.makeKey();
  const callers: Record<string, string>[] = [
    {},
    { cookie: member.cookie },
    { cookie: member.cookie, origin: "https://evil.example" },
    { cookie: member.cookie, origin: "null" },
    { authorization: `Bearer ${key}` },
    { authorization: `Bearer ${world.agentTokens.ofOwner}` },
  ];
  for (const headers of callers) {
    const answer = await submit(headers, { code: userCode, decision: "approve" });
    expect(answer.text).toContain("Sign in first.");
    expect(answer.text).not.toContain("sy on laptop");
  }
  expect(await complete(loginToken)).toEqual({ authenticated: false, intervalSeconds: 5 });
});

test("the page shows who asks, and warns if the terminal is elsewhere", async () => {
  const asked = { client: "<b>evil</b>\u202e\n", name: "x\u0007y" };
  const { userCode } = await start(asked, "203.0.113.7");
  const member = await signIn(world, "member");
  const at = (address: string) =>
    submit({ ...member.headers, "cf-connecting-ip": address }, { code: ` ${userCode.replace("-", "")} ` });
  const elsewhere = await at("198.51.100.1");
  for (const shown of ["&lt;b&gt;evil&lt;/b&gt;<", "x y", "203.0.113.7", userCode, "UTC", "Mia Member", "90 days"])
    expect(elsewhere.text).toContain(shown);
  expect(elsewhere.text).toContain("is not the address of this browser");
  expect((await at("203.0.113.7")).text).not.toContain("is not the address of this browser");
  expect(elsewhere.headers["content-security-policy"]).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(elsewhere.headers["content-security-policy"]).toContain("form-action 'self'");
  expect(elsewhere.headers["cache-control"]).toBe("no-store");
  const { userCode: ofNetwork } = await start(asked, "2001:db8::1");
  const headers = { ...member.headers, "cf-connecting-ip": "2001:db8::2" };
  expect((await submit(headers, { code: ofNetwork })).text).not.toContain("is not the address of this browser");
});

test("a code that nobody has is refused, and so is a token", async () => {
  const member = await signIn(world, "member");
  for (const code of ["BBBB-BBBB", "", "x", "<script>"])
    expect((await submit(member.headers, { code })).text).toContain("There is no open sign-in with this code.");
  for (const loginToken of ["", "svc_dev_x", `svc_dev_${"A".repeat(43)}`])
    expect(await post("/api/auth/device/complete", { loginToken })).toMatchObject({ status: 400 });
});

test.each([
  ["without a name", { client: "sy" }],
  ["with a name of control characters", { client: "sy", name: "\u0007\n " }],
  ["with a name of 101 characters", { client: "sy", name: "n".repeat(101) }],
  ["with a client of 101 characters", { client: "n".repeat(101), name: "n" }],
  ["with another field", { client: "sy", name: "n", userId: "usr_owner" }],
])("%s, none is started", async (_, asked) => {
  expect(await post("/api/auth/device", asked)).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
});

test("the audit log has the approval", async () => {
  const { userCode } = await start({ client: "sy", name: "audited terminal" });
  await decide(await signIn(world, "member"), userCode, "approve");
  const owner = await signIn(world, "owner");
  const { data } = (await owner.call("GET", `/api/organizations/${world.workspaceId}/audit`)).body;
  expect(data).toContainEqual(
    expect.objectContaining({ operation: "approveDeviceSignIn", target: { client: "sy", name: "audited terminal" } }),
  );
});
