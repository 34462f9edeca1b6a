// The preview of a session in a real browser: the page, its styles and scripts, and its live
// connection, under an address of its own.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sign } from "../../src/lib/signing.ts";
import { previewWorld } from "../support/api-world.ts";
import { type OpenedBrowser, startBrowser } from "../support/chromium.ts";
import { createClient } from "../support/client.ts";
import { until } from "../support/until.ts";
import { readSigningKeys } from "../support/world-secrets.ts";

const world = previewWorld();
const owner = createClient(world);
let opened: OpenedBrowser;
beforeAll(async () => {
  opened = await startBrowser();
});
afterAll(async () => opened?.close());

const seconds = 60_000;

/** Asks for a session's preview as its rules say, until it answers. */
async function previewUrl(sessionId: string): Promise<string> {
  const path = `/api/projects/${world.projectId}/preview`;
  await until("the preview to be healthy", async () => {
    await owner.get(`${path}?sessionId=${sessionId}`);
    return (await owner.get(`${path}/health?sessionId=${sessionId}`)).body.data.state === "healthy";
  });
  const { frontendUrls } = (await owner.get(`${path}?sessionId=${sessionId}`)).body.data;
  return frontendUrls.web;
}

/** Opens a page and keeps what goes wrong on it. */
async function open(url: string) {
  const page = await opened.browser.newPage();
  page.setDefaultTimeout(seconds);
  const troubles: string[] = [];
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("requestfailed", (request) => troubles.push(`${request.url()} ${request.failure()?.errorText}`));
  await page.goto(url);
  return { page, troubles };
}

test("a page of one frontend calls another frontend of its sandbox with its visitor's cookies, and a page of another sandbox cannot", async () => {
  const [session, other] = await Promise.all([
    owner.createSession({ title: "Two frontends" }),
    owner.createSession({ title: "Next door" }),
  ]);
  const [url, nextDoor] = [new URL(await previewUrl(session.id)), await previewUrl(other.id)];
  // A token for the same app under a second name.
  const [, body = ""] = (url.searchParams.get("svc_auth") ?? "").split(".");
  const { value, expiresAt } = JSON.parse(Buffer.from(body, "base64url").toString());
  const claims = { ...value, ports: { ...value.ports, admin: value.ports.web } };
  const token = await sign(readSigningKeys(world), "auth-token", claims, expiresAt);
  const admin = `http://${url.host.replace("web--", "admin--")}`;
  const context = await opened.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${admin}/?svc_auth=${token}`);
  const ask = (method: string): Promise<string> =>
    page.evaluate(`fetch("${admin}/nothing", { method: "${method}", credentials: "include", headers: { "x-own": "1" } })
      .then(({ status }) => String(status), ({ name }) => name)`);
  await page.goto(url.href);
  expect([await ask("GET"), await ask("PUT")]).toEqual(["404", "404"]);
  await page.goto(nextDoor);
  expect([await ask("GET"), await ask("PUT")]).toEqual(["TypeError", "TypeError"]);
  await context.close();
});

test("the preview opens in a browser, with its styles and its live connection", async () => {
  const session = await owner.createSession({ title: "Look at the board" });
  const url = await previewUrl(session.id);
  const first = await open(url);
  await first.page.getByRole("heading", { name: "Departures" }).waitFor();
  await first.page.getByText("You are watching").waitFor();
  await first.page.locator("#departures tr").first().waitFor();
  // The Auth Token has left the address.
  expect(new URL(first.page.url()).search).toBe("");

  const second = await open(url);
  await first.page.getByText("2 are watching").waitFor();
  const waves = Number(await first.page.locator("#waves").textContent());
  await second.page.getByRole("button", { name: "Wave" }).click();
  await first.page.locator("#waves", { hasText: new RegExp(`^${waves + 1}$`) }).waitFor();

  const picture = join(opened.folder, "preview.png");
  const bytes = await first.page.screenshot({ path: picture });
  expect(bytes.length).toBeGreaterThan(10_000);
  await second.page.close();
  await first.page.getByText("You are watching").waitFor();
  expect([...first.troubles, ...second.troubles]).toEqual([]);
  await first.page.close();
});

test("a change of the agent appears at the next reload", async () => {
  const session = await owner.createSession({ title: "Rename the board" });
  const { page, troubles } = await open(await previewUrl(session.id));
  await page.getByRole("heading", { name: "Departures" }).waitFor();
  const job = await owner.run(
    session.path,
    { bash: "sed -i 's/Departures/Leaving soon/' public/index.html" },
    { say: "renamed" },
  );
  expect(job.status).toBe("completed");
  await page.reload();
  await page.getByRole("heading", { name: "Leaving soon" }).waitFor();
  expect(troubles).toEqual([]);
  await page.close();
});

test("a browser without an Auth Token sees nothing of the preview", async () => {
  const session = await owner.createSession({ title: "Not for everybody" });
  const url = new URL(await previewUrl(session.id));
  url.search = "";
  const page = await opened.browser.newPage();
  const answer = await page.goto(url.href);
  expect(answer?.status()).toBe(401);
  expect(await page.content()).not.toContain("Departures");
  await page.close();
});
