// Signing in through the code host, connecting an account, and everything that must not sign
// anybody in.
import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { findPerson } from "../../practice/code-host/people.ts";
import { apiWorld } from "../support/api-world.ts";
import { signIn as signInHere } from "../support/browser.ts";
import { type SignInBrowser, startBrowser } from "../support/sign-in-browser.ts";

const world = apiWorld();
const open = (cookie?: string) => startBrowser(world, cookie);
/** Members of the project stay without an account, because their commits would show it. */
const openAs = async (person: "owner" | "admin" | "member" | "outsider") =>
  open((await signInHere(world, person)).cookie);
const keys = "/api/user/api-keys";

// Another file of this world may have connected the owner's account.
beforeAll(async () => {
  const owner = await openAs("owner");
  expect((await owner.call("POST", "/api/auth/github/disconnect")).status).toBe(204);
});

/** Identifies the user of a browser by a key that only they see. */
async function mark(browser: SignInBrowser): Promise<string> {
  const name = crypto.randomUUID();
  expect((await browser.call("POST", keys, { name })).status).toBe(201);
  return name;
}
async function isMarked(browser: SignInBrowser, name: string): Promise<boolean> {
  const { data } = await browser.call("GET", keys);
  return (data as { name: string }[]).some((key) => key.name === name);
}
const isSignedIn = async (browser: SignInBrowser) => (await browser.call("GET", keys)).status === 200;

test("the first sign-in creates a user, and the next one with the same account finds the user", async () => {
  const first = open();
  expect(await first.signIn("grace-hopper")).toMatchObject({ status: 302, location: `${world.baseUrl}/account` });
  expect((await first.call("GET", "/api/organizations")).data).toEqual([]);
  const name = await mark(first);
  const again = open();
  await again.signIn("grace-hopper");
  expect(await isMarked(again, name)).toBe(true);
  const other = open();
  await other.signIn("grace-kelly");
  expect(await isMarked(other, name)).toBe(false);
});

test("a sign-in with a demo user's account signs in that user", async () => {
  for (const [login, person] of [
    ["adam-admin", "admin"],
    ["mia-member", "member"],
  ] as const) {
    const name = await mark(await openAs(person));
    const browser = open();
    await browser.signIn(login);
    expect(await isMarked(browser, name)).toBe(true);
    expect((await browser.call("GET", "/api/organizations")).data).toMatchObject([{ name: "Acme" }]);
    await browser.call("POST", "/api/auth/github/disconnect");
  }
});

test("a signed-in user can connect an account and sign in with it afterwards", async () => {
  const outsider = await openAs("outsider");
  const before = outsider.cookie("svc_session");
  expect((await outsider.signIn("olive-owner")).status).toBe(302);
  expect(outsider.cookie("svc_session")).toBe(before);
  const name = await mark(outsider);
  const elsewhere = open();
  await elsewhere.signIn("olive-owner");
  expect(await isMarked(elsewhere, name)).toBe(true);
});

test("an account of another user cannot be connected", async () => {
  const outsider = await openAs("outsider");
  await outsider.signIn("mia-member");
  const other = open();
  await other.signIn("grace-kelly");
  expect(await other.signIn("mia-member")).toMatchObject({ status: 409, code: "CONFLICT" });
  const elsewhere = open();
  await elsewhere.signIn("mia-member");
  expect(await isMarked(elsewhere, await mark(outsider))).toBe(true);
});

test("a user who disconnects the account of their sign-in is found again by their address", async () => {
  const browser = open();
  await browser.signIn("grace-hopper");
  const name = await mark(browser);
  await browser.call("POST", "/api/auth/github/disconnect");
  const again = open();
  await again.signIn("grace-hopper");
  expect(await isMarked(again, name)).toBe(true);
});

test("a disconnected account belongs to no user", async () => {
  const outsider = await openAs("outsider");
  await outsider.signIn("adam-admin");
  const name = await mark(outsider);
  expect((await outsider.call("POST", "/api/auth/github/disconnect")).status).toBe(204);
  expect((await outsider.call("POST", "/api/auth/github/disconnect")).status).toBe(204);
  const elsewhere = open();
  await elsewhere.signIn("adam-admin");
  expect(await isMarked(elsewhere, name)).toBe(false);
  await elsewhere.call("POST", "/api/auth/github/disconnect");
});

describe("a sign-in is refused", () => {
  const refused = { status: 400, code: "BAD_REQUEST", location: null };

  test("with an unknown state", async () => {
    const browser = open();
    const back = new URL(await browser.choose(await browser.start(), "otto-outsider"));
    back.searchParams.set("state", "A".repeat(43));
    expect(await browser.go(back.href)).toMatchObject(refused);
    back.searchParams.delete("state");
    expect(await browser.go(back.href)).toMatchObject(refused);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("in another browser than the one that started it, even if that one has a sign-in of its own", async () => {
    const [one, other] = [open(), open()];
    const back = await one.choose(await one.start(), "otto-outsider");
    expect(await other.go(back)).toMatchObject(refused);
    const own = new URL(await other.start());
    expect(await other.go(back)).toMatchObject(refused);
    // The code of one sign-in with the state of the other.
    const mixed = new URL(back);
    mixed.searchParams.set("state", own.searchParams.get("state") ?? "");
    expect(await other.go(mixed.href)).toMatchObject(refused);
    expect(await isSignedIn(other)).toBe(false);
  });

  test("with a used code", async () => {
    const browser = open();
    const page = await browser.start();
    const cookie = `svc_sign_in=${browser.cookie("svc_sign_in")}`;
    const back = await browser.choose(page, "otto-outsider");
    expect((await browser.go(back)).status).toBe(302);
    expect(await browser.go(back)).toMatchObject(refused);
    const thief = open(cookie);
    expect(await thief.go(back)).toMatchObject(refused);
    expect(await isSignedIn(thief)).toBe(false);
  });

  test("without the user's consent, with a message", async () => {
    const browser = open();
    const outcome = await browser.go(await browser.choose(await browser.start(), null));
    expect(outcome).toMatchObject({ ...refused, error: expect.stringContaining("Start again") });
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("if another user has signed in to the browser meanwhile", async () => {
    const browser = await openAs("member");
    const back = await browser.choose(await browser.start(), "otto-outsider");
    const cookie = `svc_sign_in=${browser.cookie("svc_sign_in")}`;
    expect(await open(cookie).go(back)).toMatchObject(refused);
    await browser.call("POST", "/api/auth/sign-out");
    expect(await browser.go(back)).toMatchObject(refused);
  });
});

test("a browser is redirected to the requested page, only within this service", async () => {
  const browser = open();
  const back = await browser.choose(await browser.start("/shared/a?b=c#d"), "grace-kelly");
  expect((await browser.go(back)).location).toBe(`${world.baseUrl}/shared/a?b=c#d`);
  for (const elsewhere of [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/..//evil.example",
    "evil",
    "",
  ]) {
    await expect(open().start(elsewhere)).rejects.toThrow("connect answered 400");
  }
});

test("a user reads which account is connected", async () => {
  const browser = open();
  await browser.signIn("grace-kelly");
  const read = async () => (await browser.call("GET", "/api/user/code-host")).data;
  expect(await read()).toEqual({ login: "grace-kelly", accountId: String(findPerson("grace-kelly")?.id) });
  await browser.call("POST", "/api/auth/github/disconnect");
  expect(await read()).toEqual({ login: null, accountId: null });
  await browser.signIn("grace-kelly");
  expect(await read()).toEqual({ login: "grace-kelly", accountId: String(findPerson("grace-kelly")?.id) });
});

test("a page says why a sign-in failed", async () => {
  const headers = { accept: "text/html,*/*" };
  const failed = await fetch(`${world.baseUrl}/api/auth/github/callback?code=a&state=b`, { headers });
  expect([failed.status, failed.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
  expect(failed.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(await failed.text()).toContain("no such sign-in in progress");
});

test.each(["", "/missing"])("a browser gets a page at /api/auth/github%s, which is no path", async (path) => {
  const answer = await fetch(`${world.baseUrl}/api/auth/github${path}`, { headers: { accept: "text/html" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect(await answer.text()).toContain("There is no such path.");
});

test("an expired browser session has to sign in again", async () => {
  const browser = await openAs("outsider");
  await (await openAs("outsider")).call("POST", "/api/auth/sign-out");
  await browser.call("POST", "/api/auth/sign-out");
  const stale = open(`svc_session=svc_ses_${"A".repeat(43)}`);
  expect((await stale.signIn("grace-kelly")).status).toBe(302);
  expect(await isSignedIn(stale)).toBe(true);
});

test("the consent request has a state and the hash of a verifier, and the tokens are stored sealed", async () => {
  const browser = open();
  const page = new URL(await browser.start());
  expect(page.origin).toBe(world.forgeUrl);
  expect(Object.fromEntries(page.searchParams)).toMatchObject({
    state: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    code_challenge_method: "S256",
    redirect_uri: `${world.baseUrl}/api/auth/github/callback`,
  });
  await browser.go(await browser.choose(page.href, "grace-kelly"));
  const isKept = (text: string) => spawnSync("grep", ["-rqaE", text, `${world.stateDir}/cloudflare`]).status === 0;
  expect(isKept("grace-kelly")).toBe(true);
  expect(isKept("gh[ur]_practice_")).toBe(false);
});
