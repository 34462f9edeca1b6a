// The panels of a session, wide and narrow, light and dark: each is accessible, nothing is cut off,
// and the keys lead into it and back.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { createClient, type OpenedSession } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";

const world = previewWorld();
const owner = createClient(world);
const visit = openConsole(world);
const endOf = (box: { x: number; width: number } | null) => (box ? box.x + box.width : Number.POSITIVE_INFINITY);
const unbroken = "an-unbroken-name-".repeat(8);

let session: OpenedSession;
let page: Page;
beforeAll(async () => {
  session = await owner.createSession({ title: "Panels" });
  const content = `export const order = "time";\n// ${unbroken.repeat(3)}\n`;
  await owner.run(
    session.path,
    { write: { path: "sort.ts", content } },
    { write: { path: `src/${unbroken}.ts`, content } },
    {
      artifact: {
        slug: "plan",
        title: `The plan ${unbroken}`,
        kind: "markdown",
        content: `# Plan\n\n${`${unbroken}\n\n`.repeat(40)}`,
      },
    },
    { artifact: { slug: "page", title: "The page", kind: "html", content: "<!doctype html><title>P</title><p>Hi" } },
  );
  ({ page } = await visit("/account", "owner", { viewport: { width: 1_280, height: 800 } }));
});
afterAll(async () => page.context().close());

test.each<[panel: string, ready: (panel: ReturnType<Page["getByRole"]>) => Promise<void>]>([
  ["changes", (panel) => panel.getByText("export const order").first().waitFor()],
  ["preview", (panel) => panel.frameLocator("iframe").frameLocator("iframe").getByRole("heading").first().waitFor()],
  ["files", (panel) => panel.getByText("sort.ts").waitFor()],
  ["files&file=sort.ts", (panel) => panel.getByText("sort.ts").first().waitFor()],
  ["artifacts", (panel) => panel.getByText("The page").waitFor()],
  ["info", (panel) => panel.getByRole("heading").first().waitFor()],
  ["terminal", (panel) => panel.getByRole("button", { name: "Open a terminal" }).waitFor()],
])("%s", async (panel, ready) => {
  await page.goto(`${world.baseUrl}/s/${session.id}?panel=${panel}`);
  await ready(page.getByRole("complementary", { name: "Panel" }));
  await expectFit(page);
});

test("an artifact, as a document and as a page", async () => {
  for (const title of [/The plan/, /The page/]) {
    await page.goto(`${world.baseUrl}/s/${session.id}?panel=artifacts`);
    await page.getByRole("complementary").getByRole("button", { name: title }).click();
    await page.getByRole("complementary").getByText(title).first().waitFor();
    await expectFit(page);
  }
});

test("on a phone the tools of the preview are one row, and Escape leads to the button that opened it", async () => {
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`${world.baseUrl}/s/${session.id}?panel=preview`);
  const share = page.getByRole("button", { name: "Share" });
  const point = page.getByRole("button", { name: "Point at an element" });
  await point.waitFor();
  expect((await share.boundingBox())?.y).toBe((await point.boundingBox())?.y);
  const [width, room] = await page
    .getByRole("tablist", { name: "Panels" })
    .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
  expect(width).toBe(room);
  await page.getByRole("tab", { name: "Preview" }).press("Escape");
  await expect
    .poll(() => page.getByRole("button", { name: "Preview" }).evaluate((node) => node.matches(":focus")))
    .toBe(true);
});

test("Escape closes a panel also from the message field, once it means nothing else there", async () => {
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.goto(`${world.baseUrl}/s/${session.id}`);
  const panel = page.getByRole("complementary", { name: "Panel" });
  const field = page.getByRole("textbox", { name: "Message to the agent" });
  await field.fill("/");
  await page.getByRole("listbox").waitFor();
  await field.press("Alt+5");
  await panel.waitFor();
  // First the list of skills, then the panel.
  await field.press("Escape");
  await page.getByRole("listbox").waitFor({ state: "detached" });
  await panel.waitFor();
  await field.press("Escape");
  await panel.waitFor({ state: "detached" });
  expect(await field.evaluate((node) => node.matches(":focus"))).toBe(true);
  await field.fill("");

  await page.getByRole("button", { name: "Info", exact: true }).click();
  await panel.waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await panel.waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
});

test("the focus stays in the public link of a preview while it is made and revoked", async () => {
  await page.goto(`${world.baseUrl}/s/${session.id}?panel=preview`);
  await page.getByRole("button", { name: "Share" }).click();
  const popup = page.getByRole("dialog", { name: "Public link" });
  const readFocused = () => page.evaluate("document.activeElement.textContent.trim()");
  await popup.getByRole("button", { name: "Make a link" }).press("Enter");
  await expect.poll(readFocused).toBe("Copy");
  await popup.getByRole("button", { name: "Revoke" }).press("Enter");
  await expect.poll(readFocused).toBe("Make a link");
});

test("on a small phone no tab of a panel overlaps the next one, and the chosen one is in view", async () => {
  const phone = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };
  const { page, context } = await visit(`/s/${session.id}?panel=terminal`, "owner", phone);
  const tabs = page.getByRole("tablist", { name: "Panels" }).getByRole("tab");
  await tabs.last().waitFor();
  // A word may be wider than its button.
  const listCut = () =>
    tabs.evaluateAll((all) =>
      all.filter((tab) => tab.scrollWidth > tab.clientWidth).map(({ textContent }) => textContent),
    );
  await expect.poll(listCut).toEqual([]);
  await expect.poll(async () => endOf(await tabs.last().boundingBox())).toBeLessThanOrEqual(320);
  const lefts = await tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().left));
  const rights = await tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().right));
  expect(rights.filter((right, at) => right >= (lefts[at + 1] ?? Number.POSITIVE_INFINITY))).toEqual([]);
  await context.close();
});

test("a field of Info says itself what is wrong with it, until it is changed", async () => {
  const { page, context } = await visit(`/s/${session.id}?panel=info`, "owner");
  const facts = page.getByRole("region", { name: "Facts" });
  const limit = facts.getByLabel("Spend limit in US dollars");
  await limit.fill("five");
  await facts.getByText("Type an amount in US dollars").waitFor();
  expect(await limit.getAttribute("aria-invalid")).toBe("true");
  await limit.press("Escape");
  const title = facts.getByLabel("Title");
  await title.fill("t".repeat(1_000));
  await title.press("Enter");
  const refusal = facts.getByRole("alert");
  await refusal.getByText(/^The title must /).waitFor();
  const [first, refused, next] = await Promise.all(
    [title, refusal, facts.getByLabel("Priority")].map(async (one) => (await one.boundingBox())?.y ?? 0),
  );
  expect([first, refused, next].toSorted((one, other) => (one ?? 0) - (other ?? 0))).toEqual([first, refused, next]);
  await title.press("Backspace");
  await refusal.waitFor({ state: "detached" });
  await expectFit(page);
  await context.close();
});

test("a panel that is first opened without a connection is shown once there is one; the draft stays", async () => {
  const { page, context } = await visit(`/s/${session.id}`, "owner");
  const message = page.getByLabel("Message to the agent");
  await message.fill("Half a thought");
  await context.setOffline(true);
  await page.getByRole("button", { name: /^Files/ }).click();
  await page.getByText("Without a connection, this waits for one.").waitFor();
  await context.setOffline(false);
  await page.getByRole("complementary").getByRole("button", { name: "sort.ts" }).waitFor();
  await expect.poll(() => message.inputValue()).toBe("Half a thought");
  await context.close();
});

test("a page whose part is gone after a deploy is loaded again, once", async () => {
  const { page, context } = await visit("/account", "owner");
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });
  await context.route("**/_sy/info-*.js", (route) => route.fulfill({ status: 404 }));
  await page.goto(`${world.baseUrl}/s/${session.id}?panel=info`);
  await page.getByRole("button", { name: "Show it again" }).waitFor();
  expect(loads).toBe(2);
  await context.close();
});
