// Devices and notifications of a person, on the account page. The browser's push service is a
// stand-in, because a browser of the tests reaches no real one.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { until } from "../support/until.ts";
import { type Subscription, startWebPushService, type WebPushService } from "../support/web-push-service.ts";

const path = "/account/notifications";
const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const visit = openConsole(world);
const options = ["red", "green"].map((title) => ({ title, description: title, isRecommended: false }));
const ask = { ask: { questions: [{ topic: "Colour", question: "Which colour?", options }] } };

let service: WebPushService;
beforeAll(async () => {
  service = await startWebPushService();
});
afterAll(() => service.close());

/** Lets the browser subscribe at the stand-in. */
async function standIn(context: BrowserContext, page: Page): Promise<Subscription> {
  const subscription = service.subscribe();
  await context.grantPermissions(["notifications"], { origin: world.baseUrl });
  await context.addInitScript(`
    // A browser without a window permits no notifications, whatever it was granted.
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
    Notification.requestPermission = async () => "granted";
    let current = null;
    PushManager.prototype.getSubscription = async () => current;
    PushManager.prototype.subscribe = async ({ applicationServerKey: { buffer } }) => current = {
      options: { applicationServerKey: buffer },
      toJSON: () => (${JSON.stringify(subscription)}),
      unsubscribe: async () => true,
    };
  `);
  await page.reload();
  return subscription;
}

test("a person turns notifications on in a browser, gets a question, and turns them off", async () => {
  const { page, context } = await visit(path, "owner");
  const subscription = await standIn(context, page);
  await page.getByRole("button", { name: "Turn on in this browser" }).click();
  await page.getByText("Notifications are on in this browser.").waitFor();
  const devices = page.getByRole("region", { name: "Devices" });
  await devices.getByText("This browser").waitFor();
  await devices.getByText("not notified yet").waitFor();
  await expect
    .poll(() => page.evaluate("navigator.serviceWorker.ready.then(({ scope }) => scope)"))
    .toBe(`${world.baseUrl}/`);
  await expectFit(page);

  const created = await owner.createSession({ title: "Rings a browser", content: script(ask) });
  await until("the push", async () => service.listReceived(subscription).length > 0);
  const [push] = service.listReceived(subscription);
  expect(push?.payload).toMatchObject({ title: "Rings a browser", path: `/s/${created.id}` });

  await page.getByRole("button", { name: "Turn off in this browser" }).click();
  await page.getByText("Notifications are off in this browser.").waitFor();
  await devices.getByText("This browser").waitFor({ state: "detached" });
  await context.close();
});

test("a browser that was removed elsewhere stays removed, and one that signs in again does not", async () => {
  const { page, context } = await visit(path, "member");
  await standIn(context, page);
  const devices = page.getByRole("region", { name: "Devices" });
  const turnOn = page.getByRole("button", { name: "Turn on in this browser" });
  await turnOn.click();
  await devices.getByText("This browser").waitFor();
  const remove = async () => {
    const { data } = (await member.get("/api/push/devices")).body;
    for (const { id } of data) await member.call("DELETE", "/api/push/devices", { id });
  };
  await remove();
  await page.reload();
  await turnOn.waitFor();
  expect((await member.get("/api/push/devices")).body.data).toEqual([]);

  await turnOn.click();
  await devices.getByText("This browser").waitFor();
  // The end of a sign-in ends the registration too.
  await remove();
  const cookies = await context.cookies();
  await context.clearCookies();
  await page.reload();
  await page.getByRole("link", { name: "Sign in" }).waitFor();
  await context.addCookies(cookies);
  await page.reload();
  await devices.getByText("This browser").waitFor();
  await remove();
  await context.close();
});

test("the service worker shows what is pushed, with the page to open", async () => {
  const { page, context } = await visit(path, "owner");
  await standIn(context, page);
  await page.getByRole("button", { name: "Turn on in this browser" }).click();
  await page.getByText("Notifications are on in this browser.").waitFor();
  const [worker] = context.serviceWorkers();
  if (!worker) throw new Error("no service worker was registered");
  // The browser of the tests shows nothing.
  await worker.evaluate("self.registration.showNotification = async (...shown) => { self.shown = shown; }");
  const devtools = await context.newCDPSession(page);
  const versions = new Promise<string>((resolve) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [found] = registrations.filter(({ scopeURL }) => scopeURL === `${world.baseUrl}/`);
      if (found) resolve(found.registrationId);
    });
  });
  await devtools.send("ServiceWorker.enable");
  const registrationId = await versions;
  const data = JSON.stringify({ title: "Which <b>colour</b>?", body: "It waits.", tag: "s1", path: "/s/s1" });
  await devtools.send("ServiceWorker.deliverPushMessage", { origin: world.baseUrl, registrationId, data });
  const shown = await until("the notice", () => worker.evaluate("self.shown"));
  const how = { body: "It waits.", tag: "s1", renotify: true, icon: "/icon-192.png", data: { path: "/s/s1" } };
  expect(shown).toEqual(["Which <b>colour</b>?", how]);
  await context.close();
});

test("a person removes another device, and chooses the kinds", async () => {
  const [token, label] = ["0a".repeat(20), "Phone of <i>Mia</i>"];
  await member.call("POST", "/api/push/devices", {
    ...{ token, bundleId: "com.example.app", environment: "sandbox", platform: "ios", label },
  });
  const { page, context } = await visit(path, "member");
  const row = page.getByRole("listitem").filter({ hasText: label });
  await row.getByText("Phone", { exact: true }).waitFor();
  const checks = page.getByRole("switch", { name: "Failed checks" });
  await checks.click();
  await until("the switch", async () => !(await checks.isChecked()));
  await page.reload();
  await until("the switch after a reload", async () => (await checks.isEnabled()) && !(await checks.isChecked()));
  const { kinds } = (await member.get("/api/user/notifications")).body.data;
  expect(kinds).toMatchObject({ pr_checks_failed: false, job_failed: true });
  await row.getByRole("button", { name: /Remove/ }).click();
  await page.getByText("No device gets notifications.").waitFor();
  await expectFit(page);
  await context.close();
});

test("a browser without push, and a service without a key, say so", async () => {
  const { page, context } = await visit(path, "owner");
  await context.addInitScript("delete window.PushManager");
  await page.reload();
  await page.getByText("This browser cannot get notifications.").waitFor();
  expect(await page.getByRole("button", { name: "Turn on in this browser" }).count()).toBe(0);
  await page.route("**/api/meta", (route) => route.fulfill({ json: { data: { version: "1", webPushKey: null } } }));
  await page.reload();
  await page.getByText("This service sends no notifications to browsers.").waitFor();
  await context.close();
});

test("the console can be installed, and its worker keeps nothing", async () => {
  type Icon = { src: string; sizes: string; type: string };
  const read = async (path: string) => await fetch(world.baseUrl + path);
  const manifest = await read("/site.webmanifest");
  expect(manifest.headers.get("content-type")).toBe("application/manifest+json");
  const { icons, start_url, display } = (await manifest.json()) as { icons: Icon[] } & Record<string, string>;
  expect([start_url, display]).toEqual(["/", "standalone"]);
  const { page, context } = await visit("/", null);
  const home = (await page.locator("link[rel=apple-touch-icon]").getAttribute("href")) ?? "";
  await context.close();
  for (const { src, sizes, type } of [...icons, { src: home, sizes: "180x180", type: "image/png" }]) {
    const icon = await read(src);
    expect([src, icon.headers.get("content-type")]).toEqual([src, type]);
    const bytes = Buffer.from(await icon.arrayBuffer());
    // A PNG says its size first.
    if (type === "image/png")
      expect([src, `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`]).toEqual([src, sizes]);
  }
  const worker = await read("/sw.js");
  expect(worker.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(worker.headers.get("cache-control")).toBe("no-store");
  expect(await worker.text()).not.toMatch(/caches|"fetch"/);
});
