// The page of a public link in a real browser: what a visitor sees of a preview that starts, is
// there, rests, ends or is no longer shared.
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { accessibilityViolations, dropRequestsAtClose, type OpenedBrowser, startBrowser } from "../support/chromium.ts";
import { createClient, type OpenedSession } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";
import { endService } from "../support/probed-preview.ts";
import { until } from "../support/until.ts";

const world = previewWorld();
const owner = createClient(world);
let opened: OpenedBrowser;
const share = `/api/projects/${world.projectId}/preview/share`;
/** A session that the tests share, which end neither it nor its branch. */
let standing: OpenedSession;
beforeAll(async () => {
  opened = await startBrowser();
  standing = await owner.createSession({ title: "Here for long" });
});
afterAll(async () => opened?.close());

const timeoutMs = 60_000;
const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true };

interface SharedSession extends OpenedSession {
  url: string;
}

async function shareSession(title: string): Promise<SharedSession> {
  return await shared(await owner.createSession({ title }));
}

async function shared(session: OpenedSession): Promise<SharedSession> {
  return { ...session, url: (await owner.post(share, { sessionId: session.id })).body.data.share.url };
}

/** Opens a page with a clock that a test may put forward, and keeps what it asks of the service. */
async function visit(url: string, options: BrowserContextOptions = {}) {
  const context = dropRequestsAtClose(await opened.browser.newContext(options));
  const page = await context.newPage();
  page.setDefaultTimeout(timeoutMs);
  const asked: string[] = [];
  const troubles: string[] = [];
  page.on("request", (request) => request.url().includes("/api/") && asked.push(request.url()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (message) => message.text().includes("Content Security Policy") && troubles.push(message.text()));
  await page.clock.install();
  const answer = await page.goto(url);
  const board = page.frameLocator("iframe").getByRole("heading", { name: "Departures" });
  const heading = (name: string) => page.getByRole("heading", { name, level: 2 });
  return { context, page, asked, troubles, answer, board, heading };
}

const inADay = "24:00:00";
/** What became of a link or a session is on an open page by then. */
const newsAfter = "00:15";

/** Everything that somebody may look at it with. */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await expect.poll(() => accessibilityViolations(page)).toEqual([]);
  }
}

/**
 * Stops the clock of a page, so that it does not poll by itself, at a time at which it polls when a
 * visitor continues.
 */
async function stopBeforeNextPoll(page: Page): Promise<void> {
  const now = await page.evaluate<number>("Date.now()");
  await page.clock.pauseAt(now + 3_000);
  await page.clock.setSystemTime(now + 15_000);
}

async function isSandboxRunning(sandboxKey: string): Promise<boolean> {
  const { text } = await exchange(world.sandboxHostUrl, { path: `/sandboxes/${sandboxKey}` });
  return JSON.parse(text).running;
}

test("a starting preview shows its status, and the preview as soon as it answers", async () => {
  const { id, path, url } = await shareSession("Look at the board");
  const server = [
    'import { existsSync } from "node:fs";',
    'import { createBoard } from "./board.js";',
    "const gate = setInterval(() => {",
    '  if (!existsSync("go")) return;',
    "  clearInterval(gate);",
    '  createBoard().listen(Number(process.env.PORT), "0.0.0.0");',
    "}, 50);",
  ].join("\n");
  await owner.run(path, { write: { path: "server.js", content: server } });
  await endService(world, id);
  const { page, context, heading, board, answer, troubles } = await visit(url);
  expect(answer?.headers()).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringMatching(/^default-src 'none'; script-src 'nonce-.*frame-ancestors 'none'/),
  });
  expect(await page.title()).toBe("Look at the board · Demo app");
  await heading("Waking the preview").waitFor();
  await expectAccessible(page);

  await owner.run(path, { write: { path: "go", content: "" } });
  await board.waitFor();
  await expect.poll(() => page.getByRole("status").textContent()).toBe("The preview is ready.");
  await page.getByRole("heading", { name: "Look at the board", level: 1 }).waitFor();
  await expectAccessible(page);
  // No token is in an address that the framed page can pass to others.
  expect(page.frames()[1]?.url()).not.toContain("svc_auth");
  expect(troubles).toEqual([]);
  await context.close();
});

test("the page works on a phone and by keyboard", async () => {
  const { url } = await shared(standing);
  const { page, context, board } = await visit(url, phone);
  await board.waitFor();
  await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
  await expectAccessible(page);
  const focused = async () => {
    await page.keyboard.press("Tab");
    return (await page.evaluate("document.activeElement.textContent.trim() || document.activeElement.title")) as string;
  };
  const order = [await focused(), await focused(), await focused(), await focused()];
  expect(order).toEqual(["Skip to the preview", "Reload the preview", "Open in a tab of its own", "Preview: web"]);
  await context.close();
});

test("one of several frontends is shown, and the others can be selected", async () => {
  const { url } = await shared(standing);
  const { page, context, board } = await visit(url);
  await board.waitFor();
  await page.route("**/api/shared-previews/**", async (route) => {
    const answer = await route.fetch();
    const { data } = await answer.json();
    const frontends = ["web", "docs"].map((name) => ({ ...data.frontends[0], name }));
    await route.fulfill({ response: answer, json: { data: { ...data, frontends } } });
  });
  await page.clock.fastForward("00:40");
  const docs = page.getByRole("button", { name: "docs" });
  await docs.click();
  await expect.poll(() => docs.getAttribute("aria-pressed")).toBe("true");
  await page.frameLocator('iframe[title="Preview: docs"]').getByRole("heading", { name: "Departures" }).waitFor();
  await expect.poll(() => page.locator('iframe[title="Preview: web"]').isVisible()).toBe(false);
  await expectAccessible(page);
  await page.getByRole("button", { name: "web" }).click();
  await expect.poll(() => page.locator('iframe[title="Preview: web"]').isVisible()).toBe(true);
  await context.close();
});

test("an open page renews its Auth Token without a reload", async () => {
  const { url } = await shared(standing);
  const { page, context, board, troubles } = await visit(url);
  await board.waitFor();
  const token = async () => (await context.cookies()).find(({ name }) => name === "__Host-svc_preview")?.value;
  const first = await token();
  expect(first).toBeDefined();
  await page.frames()[1]?.evaluate("globalThis.stillHere = true");
  await page.clock.fastForward("06:00");
  await until("another token", async () => (await token()) !== first);
  await expect.poll(() => page.frames()[1]?.evaluate("globalThis.stillHere")).toBe(true);
  expect(troubles).toEqual([]);
  await context.close();
});

test("a paused preview stays paused until a visitor starts it", async () => {
  const { id, url } = await shared(standing);
  const sandboxKey = await owner.getSandboxKey(id);
  const { page, context, board, heading } = await visit(url);
  await board.waitFor();
  await exchange(world.sandboxHostUrl, { method: "DELETE", path: `/sandboxes/${sandboxKey}` });
  await page.clock.fastForward("00:40");
  await heading("The preview is resting").waitFor();
  await expect.poll(() => page.getByRole("status").textContent()).toBe("The preview is resting");
  await expectAccessible(page);
  await page.clock.fastForward(inADay);
  expect(await isSandboxRunning(sandboxKey)).toBe(false);

  await page.getByRole("button", { name: "Wake it up" }).click();
  await board.waitFor();
  expect(await isSandboxRunning(sandboxKey)).toBe(true);
  await context.close();
});

test("a visitor who uses a preview that was paused meanwhile wakes it, and sees that immediately", async () => {
  const { id, url } = await shared(standing);
  const sandboxKey = await owner.getSandboxKey(id);
  const { page, context, board, heading } = await visit(url);
  await board.waitFor();
  await stopBeforeNextPoll(page);
  await exchange(world.sandboxHostUrl, { method: "DELETE", path: `/sandboxes/${sandboxKey}` });
  await page.frames()[1]?.evaluate("location.reload()");
  await heading("Waking the preview").waitFor();
  await page.clock.resume();
  await board.waitFor();
  expect(await isSandboxRunning(sandboxKey)).toBe(true);
  await context.close();
});

test("the end of a session closes its preview, and an open page revives nothing", async () => {
  const { id, path, url } = await shareSession("Soon done");
  const sandboxKey = await owner.getSandboxKey(id);
  const { page, context, board, heading, asked } = await visit(url);
  await board.waitFor();
  expect((await owner.put(path, { status: "completed" })).status).toBe(200);
  await page.clock.fastForward(newsAfter);
  await heading("This session has ended").waitFor();
  expect(await page.locator("iframe").count()).toBe(0);
  await expectAccessible(page);
  await until("the sandbox to be ended", async () => !(await isSandboxRunning(sandboxKey)));
  const before = asked.length;
  await page.clock.fastForward(inADay);
  await page.reload();
  await heading("This session has ended").waitFor();
  expect(asked).toHaveLength(before);
  expect(await isSandboxRunning(sandboxKey)).toBe(false);
  await context.close();
});

test("a revoked link shows a message, and closes its preview when its token expires", async () => {
  const { id, url } = await shared(standing);
  const { page, context, board, heading, asked } = await visit(url);
  await board.waitFor();
  expect((await owner.delete(`${share}?sessionId=${id}`)).status).toBe(200);
  await page.clock.fastForward(newsAfter);
  await page.getByText("This link is no longer available.").first().waitFor();
  await expect.poll(() => board.isVisible()).toBe(true);
  await expectAccessible(page);
  const before = asked.length;
  await page.clock.fastForward("15:00");
  await heading("This link is no longer available").waitFor();
  expect(await page.locator("iframe").count()).toBe(0);
  await expectAccessible(page);
  await page.clock.fastForward(inADay);
  expect(asked).toHaveLength(before);

  expect((await page.reload())?.status()).toBe(404);
  await page.getByRole("heading", { name: "This link leads nowhere" }).waitFor();
  await expectAccessible(page);
  await context.close();
});

test("the link of a deleted session shows a correct message too", async () => {
  const { path, url } = await shareSession("Deleted");
  const { page, context, board, heading } = await visit(url);
  await board.waitFor();
  await stopBeforeNextPoll(page);
  expect((await owner.delete(path)).status).toBe(204);
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText("This link is no longer available.").first().waitFor();
  await page.clock.resume();
  await page.frameLocator("iframe").getByText("There is no preview here").first().waitFor();
  await expectAccessible(page);
  await page.clock.fastForward("15:00");
  await heading("This link is no longer available").waitFor();
  await context.close();
});

test.each([
  ["not_running", "The preview cannot start now", "Try again"],
  ["no_frontends", "Nothing to see here yet", "Look again"],
])("a preview that cannot be shown gives the reason: %s", async (reason, name, action) => {
  const { url } = await shared(standing);
  const { page, context, board, heading } = await visit(url);
  await board.waitFor();
  await page.route("**/api/shared-previews/**", async (route) => {
    const answer = await route.fetch();
    const { data } = await answer.json();
    const json = { data: { ...data, status: "unavailable", reason, frontends: [] } };
    await route.fulfill({ response: answer, json });
  });
  await page.clock.fastForward("00:40");
  const press = page.getByRole("button", { name: reason === "not_running" ? "Wake it up" : action });
  await press.click();
  // A few attempts are made before it fails.
  await until("the page to give up", async () => {
    await page.clock.fastForward("00:10");
    return heading(name).isVisible();
  });
  await page.unroute("**/api/shared-previews/**");
  await expectAccessible(page);
  await page.getByRole("button", { name: action }).click();
  await board.waitFor();
  await context.close();
});

test("a main preview without a Deploy is named only by its project", async () => {
  const { url } = (await owner.post(share)).body.data.share;
  const { page, context, heading, asked } = await visit(url, phone);
  await page.getByRole("heading", { name: "Demo app", level: 1 }).waitFor();
  await heading("The preview cannot start now").waitFor();
  await expectAccessible(page);
  expect(asked).toEqual([]);
  await context.close();
});
