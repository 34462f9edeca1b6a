// The practice code host's pages in a real browser: in light and dark colours, on a desktop and on
// a phone, for everybody.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PracticeCodeHost, startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { accessibilityViolations, type OpenedBrowser, startBrowser } from "../support/chromium.ts";

const token = "code-host-token";
const oauth = { clientId: "tests", clientSecret: "secret", callbackUrl: "http://localhost:9/callback" };
let folder: string;
let codeHost: PracticeCodeHost;
let opened: OpenedBrowser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "code-host-pages-"));
  [codeHost, opened] = await Promise.all([startPracticeCodeHost({ folder, token, oauth }), startBrowser()]);
  await codeHost.createRepository("acme/board", { "README.md": "# Board\n" });
});
afterAll(async () => {
  await opened?.close();
  await codeHost?.close();
  await rm(folder, { recursive: true, force: true });
});

async function expectReadable(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityViolations(page)).toEqual([]);
  }
  const width = await page.evaluate<[number, number]>("[document.documentElement.scrollWidth, innerWidth]");
  expect(width[0]).toBeLessThanOrEqual(width[1]);
}

test.each([1_100, 360])("from the link to a merge, on a screen of %i pixels", async (width) => {
  const branch = `base-${width}`;
  const title = `A title that is long, with ${"averylongwordwithoutanybreak".repeat(4)}`;
  const opening = { title, head: "main", base: branch };
  await fetch(`${codeHost.url}/repos/acme/board/pulls`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(opening),
  });
  const context = await opened.browser.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  await page.goto(codeHost.pagesUrl);
  expect(page.url()).toBe(`${codeHost.url}/`);
  await expectReadable(page);
  const badge = (state: string) => page.locator(".badge", { hasText: state }).first();
  await page.getByRole("link", { name: "acme/board" }).click();
  await page.waitForURL("**/acme/board");
  await expectReadable(page);
  await page.getByRole("link", { name: title }).first().click();
  await page.getByRole("button", { name: "Let it fail" }).click();
  await badge("failure").waitFor();
  await expectReadable(page);
  await page.getByRole("button", { name: "Merge" }).click();
  await badge("merged").waitFor();
  await expectReadable(page);
  await page.locator(".sha").first().click();
  await page.waitForURL("**/commit/*");
  await expectReadable(page);
  await context.close();
});

test.each([1_100, 360])("signing in, on a screen of %i pixels", async (width) => {
  const context = await opened.browser.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  const authorize = `${codeHost.url}/login/oauth/authorize`;
  await page.goto(`${authorize}?client_id=tests`);
  await expectReadable(page);
  await page.goto(codeHost.pagesUrl);
  await page.goto(`${authorize}?client_id=another`);
  await expectReadable(page);
  const query = new URLSearchParams({ client_id: "tests", redirect_uri: oauth.callbackUrl, state: "a&b" });
  await page.goto(`${authorize}?${query}`);
  await expectReadable(page);
  // Nobody listens there, but it is where the browser goes.
  const left = page.waitForRequest((request) => request.url().startsWith(oauth.callbackUrl));
  await page.getByRole("button", { name: "Sign in as Grace Hopper" }).click();
  expect(new URL((await left).url()).searchParams.get("state")).toBe("a&b");
  await context.close();
});
