// The page of sign-ins from a terminal in a real browser: from its address to the key, by day and
// by night, on a desk and on a phone, by keyboard.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityViolations, type OpenedBrowser, openBrowser } from "../support/chromium.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";

let world: RunningWorld;
let opened: OpenedBrowser;
beforeAll(async () => {
  [world, opened] = await Promise.all([createWorld(), openBrowser()]);
  await world.start();
});
afterAll(async () => {
  await opened?.close();
  await world?.remove();
});

interface Started {
  userCode: string;
  loginToken: string;
  verificationUrl: string;
}

async function post<Data>(path: string, body: object): Promise<Data> {
  const answer = await fetch(world.address().baseUrl + path, { method: "POST", body: JSON.stringify(body) });
  return ((await answer.json()) as { data: Data }).data;
}

async function expectReadable(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityViolations(page)).toEqual([]);
  }
  const width = await page.evaluate<[number, number]>("[document.documentElement.scrollWidth, innerWidth]");
  expect(width[0]).toBeLessThanOrEqual(width[1]);
}

test.each([1_100, 360])("a person signs in, types the code, and approves, at %i pixels", async (width) => {
  const name = `laptop ${"withalongnamewithoutanybreak".repeat(3)}`;
  const { userCode, loginToken, verificationUrl } = await post<Started>("/api/auth/device", {
    client: "sy 5.0.0",
    name,
  });
  const context = await opened.browser.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(world.address().signInUrl);
  await page.goto(verificationUrl);
  await expectReadable(page);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /Mia Member/ }).click();
  await page.waitForURL(verificationUrl);
  await page.getByLabel("The code of the terminal").fill(userCode.toLowerCase());
  await expectReadable(page);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign this terminal in?" }).waitFor();
  expect(await page.textContent("dl")).toContain(name);
  await expectReadable(page);
  await page.getByLabel("The key is valid for").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "The terminal is signed in" }).waitFor();
  await expectReadable(page);
  expect(await post("/api/auth/device/complete", { loginToken })).toEqual({
    authenticated: true,
    key: expect.stringMatching(/^svc_key_/),
  });
  await context.close();
});
