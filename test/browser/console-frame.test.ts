// The frame of the console in a real browser: who sees what, its headers, and its addresses.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient, script } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { exchange } from "../support/http-exchange.ts";

const world = apiWorld();
const owner = createClient(world);
const visit = openConsole(world);

test("a visitor sees nothing but the way to sign in, which leads back", async () => {
  const session = await owner.createSession({ title: "On the first page" });
  for (const path of ["/", `/s/${session.id}`]) {
    const { page, context } = await visit(path, null);
    const link = page.getByRole("link", { name: "Sign in" });
    await expect
      .poll(() => link.getAttribute("href"))
      .toBe(`/api/auth/github/connect?returnTo=${encodeURIComponent(path)}`);
    expect(await page.content()).not.toContain("On the first page");
    await expectFit(page);
    await context.close();
  }
  const asked = await fetch(world.baseUrl, { headers: { accept: "application/json" } });
  expect([asked.status, await asked.json()]).toEqual([404, { error: "There is no such path.", code: "NOT_FOUND" }]);
  const mistyped = await visit("/nothing", null);
  await mistyped.page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  await mistyped.page.getByRole("link", { name: "To your inbox" }).click();
  await mistyped.page.waitForURL(`${world.baseUrl}/`);
  await mistyped.context.close();
});

test("the link of `npm start -- --open` signs in a browser as the owner, once", async () => {
  const { page, context } = await visit("/", null);
  await page.goto(world.openUrl);
  await page.waitForURL(`${world.baseUrl}/`);
  await page.getByRole("button", { name: /Olive Owner/ }).waitFor();
  await context.close();
  const later = await visit("/", null);
  await later.page.goto(world.openUrl);
  await later.page.getByRole("link", { name: "Sign in" }).waitFor();
  await later.context.close();
});

test("keys that are typed while the palette is loaded arrive in it, and none is a shortcut", async () => {
  const { page, context } = await visit("/sessions", "owner");
  // From then on, the page listens to keys.
  await page.getByText(/Live$/).waitFor();
  let release = () => {};
  const isTyped = new Promise<void>((resolve) => {
    release = resolve;
  });
  const scripts = "**/_sy/overlays-*.js";
  await page.route(scripts, async (route) => {
    await isTyped;
    await route.continue();
  });
  const asked = page.waitForRequest(scripts);
  await page.keyboard.press("ControlOrMeta+k");
  await asked;
  await page.keyboard.type("gone nothi");
  release();
  const find = page.getByRole("combobox", { name: "Find a session or do something" });
  await find.waitFor();
  await page.keyboard.type("ng");
  expect(await find.inputValue()).toBe("gone nothing");
  expect(new URL(page.url()).pathname).toBe("/sessions");
  await context.close();
});

test("what the frame shows is asked for in one go, before any of it has arrived", async () => {
  const { page, context } = await visit("/account", "owner");
  const paths = ["user/profile", "organizations", "projects?*", "chat-sessions?*needsYou*", "chat-sessions?*status*"];
  let asked = 0;
  let release = () => {};
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  for (const path of paths)
    await page.route(`**/api/${path}`, async (route) => {
      asked += 1;
      if (asked === paths.length) release();
      await all;
      await route.continue();
    });
  await page.goto(world.baseUrl);
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /Olive Owner/ })
    .waitFor();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await context.close();
});

test("a person finds their session on the rail, and follows it", async () => {
  const session = await owner.createSession({ title: "Found on the rail" });
  const { page, context } = await visit("/", "owner");
  await page.getByRole("navigation").getByRole("link", { name: "Found on the rail" }).first().click();
  await page.waitForURL(`**/s/${session.id}`);
  await page.getByRole("heading", { level: 1, name: "Found on the rail" }).waitFor();
  await owner.run(session.path, { say: "Said while the page was open." });
  await page.getByText("Said while the page was open.").first().waitFor();
  await expectFit(page);
  await context.close();
});

test("the account page makes and revokes API keys, and signs the browser out", async () => {
  const { page, context } = await visit("/account", "member");
  const list = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${world.baseUrl}/api/projects`, { headers })).status;
  };
  await page.getByLabel("Name of the key").fill("<b>Laptop</b>");
  await page.getByRole("button", { name: "Make a key" }).click();
  const key = (await page.locator("code", { hasText: "svc_key_" }).textContent()) ?? "";
  expect(await list(key)).toBe(200);
  await expectFit(page);

  await page.reload();
  const row = page.locator("li", { hasText: "<b>Laptop</b>" });
  await row.waitFor();
  await expect.poll(() => row.textContent()).toContain(`…${key.slice(-4)}`);
  expect(await page.content()).not.toContain(key);
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").or(page.getByRole("alertdialog")).getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "detached" });
  expect(await list(key)).toBe(401);

  await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Sign in" }).waitFor();
  await context.close();
});

test("a tab whose sign-in has ended shows nothing of what was read, and keeps what was typed", async () => {
  const session = await owner.createSession({ title: "Read before", content: script({ say: "A secret plan." }) });
  // A letter wakes no sandbox while a turn runs.
  await owner.jobUntil(session.path, (await owner.get(`${session.path}/jobs/chat`)).body.data[0].id);
  const { page, context } = await visit(`/s/${session.id}`, "owner");
  await page.getByText("A secret plan.", { exact: true }).waitFor();
  const cookies = await context.cookies();
  await context.clearCookies();
  // A first letter wakes the sandbox, which the service refuses now.
  await page.getByLabel("Message to the agent").fill("Typed before I knew.");
  await page.getByText("You are signed out. Sign in to continue; what you typed is kept.").waitFor();
  await page
    .getByRole("alert")
    .getByRole("button", { name: /^Request \S/ })
    .waitFor();
  expect(await page.getByText("A secret plan.").count()).toBe(0);
  expect(await page.content()).not.toContain("credential");
  await expectFit(page);
  await context.addCookies(cookies);
  await page.reload();
  await page.getByText("A secret plan.", { exact: true }).waitFor();
  await expect.poll(() => page.getByLabel("Message to the agent").inputValue()).toBe("Typed before I knew.");
  await context.close();
});

test("a session that is out of reach meanwhile leaves the page, with its title and composer", async () => {
  const session = await owner.createSession({ title: "Out of reach", content: script({ say: "A secret plan." }) });
  await owner.jobUntil(session.path, (await owner.get(`${session.path}/jobs/chat`)).body.data[0].id);
  const { page, context } = await visit("/", "member");
  const refusal = { code: "NOT_FOUND", error: "There is no such session." };
  const refusing = Promise.withResolvers<void>();
  await context.route(`**${session.path}/events*`, async (route) => {
    await refusing.promise;
    await route.fulfill({ status: 404, json: refusal });
  });
  await page.goto(`${world.baseUrl}/s/${session.id}`);
  await page.getByText("A secret plan.", { exact: true }).waitFor();
  refusing.resolve();
  await page.getByRole("heading", { name: "You cannot open this session" }).waitFor();
  const main = page.getByRole("main");
  expect(await main.textContent()).not.toMatch(/A secret plan|Out of reach/);
  expect(await main.getByRole("button", { name: "Send" }).count()).toBe(0);
  expect(await page.title()).not.toContain("Out of reach");
  await context.close();
});

test("a session's old address leads a browser to the console, and clients of the API to what they got before", async () => {
  const session = await owner.createSession({ title: "Read in a browser" });
  const { sessionUrl } = (await owner.get(session.path)).body.data.session;
  const { page, context } = await visit(new URL(sessionUrl).pathname, "member");
  await page.getByRole("heading", { level: 1, name: "Read in a browser" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/s/${session.id}`);
  await context.close();

  const html = { accept: "text/html" };
  const read = async (headers: Record<string, string>) =>
    (await fetch(sessionUrl, { headers })).headers.get("content-type");
  const { authorization } = { authorization: `Bearer ${world.users.owner.apiKey}` };
  const { cookie } = await signIn(world, "owner");
  for (const headers of [{ ...html, authorization }, { authorization }, { cookie }, { cookie, accept: "*/*" }])
    expect(await read(headers)).toMatch(/^application\/json/);
});

test("an outsider, and a member with a wrong address, gets a sentence and no data", async () => {
  const session = await owner.createSession({ title: "Kept inside" });
  const unknown = "01a202e7-0000-7000-8000-000000000000";
  for (const [id, person, sentence] of [
    [session.id, "outsider", "You are not a member of this workspace."],
    [unknown, "owner", "There is no such session."],
  ] as const) {
    const { page, context } = await visit(`/s/${id}`, person);
    await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
    if (person === "outsider") expect(await page.content()).not.toContain("Kept inside");
    await expectFit(page);
    await context.close();
  }
  // Neither is an id: the first is too short for one, and nothing has the second.
  for (const name of ["none", "no-such-branch"]) {
    const { page, context } = await visit(`/s/${name}`, "owner");
    await page.getByRole("heading", { name: "There is no such session" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "To your inbox" }).waitFor();
    await expectFit(page);
    await context.close();
  }
});

test("the page has its policy, and its files are immutable and the same for everybody", async () => {
  const { text, ...answer } = await exchange(world.baseUrl, { path: "/s/anything", headers: { accept: "text/html" } });
  expect(answer.headers["content-security-policy"]).toMatch(
    /script-src 'self';.*frame-ancestors 'none'.*trusted-types/,
  );
  expect(answer.headers).toMatchObject({ "x-frame-options": "DENY", "cache-control": "no-store" });
  expect(text).not.toMatch(/<script(?![^>]*src=)/);
  const [, script = ""] = /type="module"[^>]* src="([^"]+)"/.exec(text) ?? [];
  const file = await fetch(world.baseUrl + script);
  expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(file.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  // A development build says so, and is half as large again.
  expect(await file.text()).not.toContain("Download the React DevTools");
  for (const path of ["/_sy/none.js", "/_sy/..%2Findex.html", "/_sy/index.html"])
    expect((await fetch(world.baseUrl + path)).status).toBe(404);
});
