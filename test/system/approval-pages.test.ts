// The pages on which a person approves a program, in a real browser: a terminal, from its address
// to the key, and an agent, from its request to the code. By day and by night, on a desk and on a
// phone.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityViolations, type OpenedBrowser, startBrowser } from "../support/chromium.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";

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

test.each([1_100, 360])("a person allows an agent, and the browser brings its code, at %i pixels", async (width) => {
  const { baseUrl, signInUrl } = world.address();
  const receiver = createServer((_, response) => response.end("received")).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const redirectUri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callback`;
  const name = `Editor ${"withalongnamewithoutanybreak".repeat(3)}`;
  const registered = await fetch(`${baseUrl}/oauth/register`, {
    method: "POST",
    body: JSON.stringify({ client_name: name, redirect_uris: ["http://127.0.0.1/callback"] }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: redirectUri, response_type: "code", scope: "read work", state: "s" },
    ...{ code_challenge: "a".repeat(43), code_challenge_method: "S256" },
  });
  const context = await opened.browser.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(signInUrl);
  await page.goto(`${baseUrl}/oauth/authorize?${query}`);
  await expectReadable(page);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /Mia Member/ }).click();
  await page.getByRole("heading", { name: "Connect this agent?" }).waitFor();
  expect(await page.textContent("dl")).toContain(name);
  await expectReadable(page);
  const [[{ url = "" }]] = await Promise.all([
    once(receiver, "request") as Promise<[IncomingMessage]>,
    page.getByRole("button", { name: "Allow" }).click(),
  ]);
  expect(url).toMatch(/^\/callback\?code=svc_cod_[\w-]{43}&state=s&iss=http/);
  await context.close();
  receiver.close();
});
