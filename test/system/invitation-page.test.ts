// The page of an invitation in a real browser: from the link to the membership, by day and by
// night, on a desk and on a phone, by keyboard.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signIn } from "../support/browser.ts";
import { accessibilityViolations, type OpenedBrowser, startBrowser } from "../support/chromium.ts";
import type { Person } from "../support/client.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";

const name = `Night Trains ${"andalongwordwithoutanybreak".repeat(3)}`;
let world: RunningWorld;
let opened: OpenedBrowser;
beforeAll(async () => {
  [world, opened] = await Promise.all([createWorld(), startBrowser()]);
  await world.start();
});
afterAll(async () => {
  await opened?.close();
  await world?.remove();
});

/** Makes a workspace and an invitation to it. Answers the address of its page. */
async function invite(person: Person): Promise<string> {
  const boss = await signIn(world.address(), "outsider");
  const workspace = await boss.call("POST", "/api/organizations", {
    name,
    slug: `s-${crypto.randomUUID().slice(0, 8)}`,
  });
  const path = `/api/organizations/${workspace.body.data.id}/invitations`;
  const invited = await boss.call("POST", path, { email: `${person}@example.com`, role: "admin" });
  return invited.body.data.url;
}

async function expectReadable(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityViolations(page)).toEqual([]);
  }
  const width = await page.evaluate<[number, number]>("[document.documentElement.scrollWidth, innerWidth]");
  expect(width[0]).toBeLessThanOrEqual(width[1]);
}

/** Goes to the next button or link, and takes it. */
async function takeNext(page: Page, label: string): Promise<void> {
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe(label);
  await page.keyboard.press("Enter");
}

test.each([1_100, 360])(
  "an invited user signs in, sees the workspace, and joins by keyboard, at %i pixels",
  async (width) => {
    const url = await invite(width === 360 ? "member" : "admin");
    const context = await opened.browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(world.address().signInUrl);
    await page.goto(url);
    await expectReadable(page);
    expect(await page.textContent("body")).not.toContain("Night Trains");
    await takeNext(page, "Sign in");
    // Somebody whom the invitation is not for.
    await page.getByRole("button", { name: "Sign in as Olive Owner" }).click();
    await page.getByText("This invitation is for another address").waitFor();
    expect(page.url()).toBe(url);
    expect(await page.textContent("body")).not.toContain("Night Trains");
    await expectReadable(page);
    await takeNext(page, "Sign out");
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("button", { name: width === 360 ? "Mia Member" : "Adam Admin" }).click();
    await page.getByText("You are invited as an admin.").waitFor();
    expect(await page.textContent("h1")).toBe(`Join ${name}`);
    await expectReadable(page);
    await takeNext(page, "Accept the invitation");
    await page.getByText(`You are a member of ${name}`).waitFor();
    await expectReadable(page);
    await page.goto(`${url}x`);
    await page.getByText("This invitation is no longer valid").waitFor();
    await expectReadable(page);
    await context.close();
  },
);
