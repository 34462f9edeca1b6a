// The docs in a real browser: they fit wide and narrow, and the keyboard searches them.
import { beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { accessibilityViolations } from "../support/chromium.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const visit = openConsole(world);

beforeAll(() => until("the docs", async () => (await fetch(`${world.baseUrl}/docs/`)).ok));

test.each(["/docs/", "/docs/guide/triggers", "/docs/api/review-comments"])(
  "%s fits, and is accessible",
  async (path) => {
    const { page, context } = await visit(path, null);
    await expect.poll(() => page.getByRole("navigation", { name: "Pages" }).isVisible()).toBe(true);
    await expectFit(page);
    await context.close();
  },
);

test("the keyboard finds an operation, and a page that is not there says so", async () => {
  const { page, context } = await visit("/docs/guide/crons", null);
  await page.keyboard.press("/");
  await page.keyboard.type("sendmessage");
  await page.getByRole("option", { name: /^Send a message/ }).waitFor();
  await expect.poll(() => accessibilityViolations(page)).toEqual([]);
  await page.keyboard.type("zz");
  await page.getByText("Nothing found.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").fill("message");
  await page.getByRole("option").nth(1).waitFor();
  await page.keyboard.press("ArrowDown");
  const second = page.getByRole("option", { selected: true });
  const address = await second.getAttribute("href");
  await expect.poll(() => second.getAttribute("id")).toBe("hit-1");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${address}`);
  await page.goto(`${world.baseUrl}/docs/gone`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await page.getByRole("link", { name: "The start page" }).click();
  await page.waitForURL("**/docs/");
  await context.close();
});

test.each([
  ["a section", "3-callers", "3-callers"],
  ["a heading in a section", "the-practice-model", "2-running-it-on-one-machine"],
])("an address of %s from before the document was split leads to its page", async (_, anchor, section) => {
  const { page, context } = await visit("/docs/", null);
  const list = `${world.baseUrl}/docs/contract/decisions`;
  await page.goto(`${list}#${anchor}`);
  await page.waitForURL(`${list}/${section}#${anchor}`);
  await page.locator(`[id="${anchor}"]`).waitFor();
  await context.close();
});

test("on a phone, a menu leads to the pages, also without scripts", async () => {
  const viewport = { width: 360, height: 740 };
  const { page, context } = await visit("/docs/", null, { viewport, javaScriptEnabled: false });
  const pages = page.getByRole("navigation", { name: "Pages" });
  expect([await pages.isVisible(), await page.getByRole("search").isVisible()]).toEqual([false, false]);
  await page.getByRole("button", { name: "Menu" }).click();
  await pages.getByText("Set up a project").click();
  await pages.getByRole("link", { name: "Networks" }).click();
  await page.getByRole("heading", { level: 1, name: "Networks" }).waitFor();
  await context.close();
});
