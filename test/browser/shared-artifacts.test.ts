// The artifacts on the page of a public link, in a real browser: they are listed beside the preview
// and opened over it, and whatever one of them tries, it reaches nothing.
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { accessibilityViolations, type OpenedBrowser, startBrowser } from "../support/chromium.ts";
import { createClient, type Step } from "../support/client.ts";

const document = {
  slug: "plan",
  title: "Plan of the board",
  kind: "markdown",
  content:
    "# The plan\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<script>document.title = 'ran'</script>\n\n[More](https://example.com)",
};
const image = { slug: "shot", title: "Screenshot", kind: "image", path: "shot.png" };
/** One pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** What a page may try, and the result of each attempt in an element of that name. */
const hostile = `<!doctype html><title>Hostile</title><body><script>
const tell = (way, what) => { const p = document.createElement("p"); p.id = way; p.textContent = what; document.body.append(p); };
const ways = {
  fetch: () => fetch("/api/organizations", { credentials: "include" }),
  elsewhere: () => fetch("SERVICE/api/meta", { mode: "no-cors" }),
  socket: () => new Promise((yes, no) => { const s = new WebSocket("SERVICE".replace("http", "ws") + "/api/meta"); s.onopen = yes; s.onerror = no; }),
  image: () => new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = no; i.src = "SERVICE/api/meta"; }),
  script: () => new Promise((yes, no) => { const s = document.createElement("script"); s.onload = yes; s.onerror = no; s.src = "SERVICE/api/meta"; document.head.append(s); }),
  cookie: () => document.cookie,
  storage: () => localStorage.length,
  // A top-level document is its own parent and top.
  parent: () => { if (parent === self) throw new Error("none"); return parent.document.title; },
  top: () => { if (top === self) throw new Error("none"); top.location.href = "about:blank"; },
  popup: () => { if (open("SERVICE/api/meta") === null) throw new Error("no window"); },
};
for (const [way, go] of Object.entries(ways)) Promise.resolve().then(go).then(() => tell(way, "reached"), () => tell(way, "nothing"));
const form = document.createElement("form"); form.action = "SERVICE/api/meta"; form.method = "post"; document.body.append(form); form.submit();
navigator.sendBeacon("SERVICE/api/meta", "x");
</script>`;
const ways = ["fetch", "elsewhere", "socket", "image", "script", "cookie", "storage", "parent", "top", "popup"];

const world = previewWorld();
const owner = createClient(world);
let opened: OpenedBrowser;
beforeAll(async () => {
  opened = await startBrowser();
});
afterAll(async () => opened?.close());

const share = `/api/projects/${world.projectId}/preview/share`;

async function sharedWith(title: string, ...steps: Step[]) {
  const session = await owner.createSession({ title });
  await owner.run(session.path, ...steps);
  const { url } = (await owner.post(share, { sessionId: session.id })).body.data.share;
  return { ...session, url: url as string };
}

async function visit(url: string, options: BrowserContextOptions = {}) {
  const context = await opened.browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const answered: string[] = [];
  page.on("response", (response) => answered.push(new URL(response.url()).pathname));
  await page.clock.install();
  await page.goto(url);
  return { context, page, answered, viewer: page.getByRole("region", { name: /./ }).and(page.locator("#viewer")) };
}

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await expect.poll(() => accessibilityViolations(page)).toEqual([]);
  }
}

test("artifacts are listed next to the preview, opened over it and closed by keyboard", async () => {
  const { url } = await sharedWith(
    "With a plan",
    { artifact: document },
    { bash: `echo ${png} | base64 -d > shot.png` },
    { artifact: image },
  );
  const { page, context, viewer } = await visit(url);
  const listed = page.getByRole("complementary", { name: "Artifacts" }).getByRole("button");
  await expect.poll(() => listed.allTextContents()).toEqual(["ScreenshotImage", "Plan of the boardDocument"]);
  await expectAccessible(page);

  const plan = page.getByRole("button", { name: "Plan of the board" });
  await plan.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("viewer-title");
  const frame = page.frameLocator('iframe[title="Document: Plan of the board"]');
  await frame.getByRole("heading", { name: "The plan" }).waitFor();
  await expect.poll(() => frame.getByRole("cell", { name: "2" }).isVisible()).toBe(true);
  await expect.poll(() => frame.getByRole("link", { name: "More" }).getAttribute("rel")).toBe("noopener noreferrer");
  await expect.poll(() => frame.getByText("document.title = 'ran'").isVisible()).toBe(true);
  await expect.poll(() => plan.getAttribute("aria-pressed")).toBe("true");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect.poll(() => viewer.isVisible()).toBe(false);
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe(await plan.textContent());

  await page.getByRole("button", { name: "Screenshot" }).click();
  const shot = page.frameLocator('iframe[title="Image: Screenshot"]').getByRole("img", { name: "Screenshot" });
  await shot.waitFor();
  const pictured = page.frames().find((candidate) => candidate.url().includes("/artifacts/"));
  await expect.poll(() => pictured?.evaluate("document.querySelector('img').naturalWidth")).toBe(1);
  await context.close();
});

test("the URL of the page names the open artifact and opens it again, also on a phone", async () => {
  const { url } = await sharedWith("By its name", { artifact: document });
  const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true };
  const { page, context, viewer } = await visit(`${url}#plan`, phone);
  await viewer.waitFor();
  await page.frameLocator('iframe[title^="Document"]').getByRole("heading", { name: "The plan" }).waitFor();
  await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
  await expectAccessible(page);
  const [alone] = await Promise.all([
    context.waitForEvent("page"),
    page.getByRole("link", { name: "Open the artifact in a tab of its own" }).click(),
  ]);
  await alone.getByRole("heading", { name: "The plan" }).waitFor();
  await context.close();

  // The page's own policy lets no script run, that of the check included.
  const unheld = await visit(alone.url(), { ...phone, bypassCSP: true });
  expect(await unheld.page.title()).toBe(document.title);
  await expectAccessible(unheld.page);
  await unheld.context.close();
});

test("a page whose URL ends in no readable name shows the preview and its artifacts", async () => {
  const { url } = await sharedWith("By half a name", { artifact: document });
  const { page, context, viewer } = await visit(`${url}#50%`);
  await page.getByRole("complementary", { name: "Artifacts" }).getByRole("button").waitFor();
  await expect.poll(() => viewer.isVisible()).toBe(false);
  await context.close();
});

test("an artifact that is rewritten while it is open is reloaded", async () => {
  const { path, url } = await sharedWith("Once more", { artifact: document });
  const { page, context } = await visit(`${url}#plan`);
  await page.frameLocator('iframe[title^="Document"]').getByRole("heading", { name: "The plan" }).waitFor();
  await owner.run(path, { artifact: { ...document, content: "# Another plan" } });
  await page.clock.fastForward("00:40");
  await page.frameLocator('iframe[title^="Document"]').getByRole("heading", { name: "Another plan" }).waitFor();
  await expect.poll(() => page.locator("#viewer-kind").textContent()).toBe("Document · version 2");
  await context.close();
});

test.each([
  ["in its frame", ""],
  ["in a tab of its own, which has not the service's address", "artifacts.preview."],
])("a hostile mockup has no access %s", async (where, inTab) => {
  const { baseUrl } = world;
  const mockup = { slug: "mock", title: "Mock", kind: "html", content: hostile.replaceAll("SERVICE", baseUrl) };
  const { url } = await sharedWith("Beware", { artifact: mockup });
  const { page, context, answered } = await visit(`${url}#mock`);
  await context.addCookies([{ name: "svc_session", value: "a-secret", url: baseUrl }]);
  const frame = page.frames().find((candidate) => candidate.url().includes("/artifacts/"));
  const address = frame?.url() ?? "";
  if (where !== "in its frame") await page.goto(address);
  const within = where === "in its frame" ? page.frameLocator('iframe[title="Mockup: Mock"]') : page;
  for (const way of ways) {
    expect([way, await within.locator(`#${way}`).textContent()]).toEqual([way, "nothing"]);
  }
  expect(new URL(page.url()).origin).toBe(baseUrl.replace("://", `://${inTab}`));
  expect(answered.filter((path) => path === "/api/meta" || path === "/api/organizations")).toEqual([]);
  expect(context.pages()).toHaveLength(1);
  await context.close();
});

test("an ended session keeps its artifacts on the page, a revoked link does not", async () => {
  const { id, path, url } = await sharedWith("Over soon", { artifact: document });
  const { page, context, viewer } = await visit(`${url}#plan`);
  await viewer.waitFor();
  expect((await owner.put(path, { status: "completed" })).status).toBe(200);
  await page.reload();
  await page.getByRole("heading", { name: "This session has ended" }).waitFor({ state: "attached" });
  await page.frameLocator('iframe[title^="Document"]').getByRole("heading", { name: "The plan" }).waitFor();
  const address =
    page
      .frames()
      .find((frame) => frame.url().includes("/artifacts/"))
      ?.url() ?? "";
  await owner.delete(`${share}?sessionId=${id}`);
  const answer = await page.goto(address);
  expect([answer?.status(), answer?.headers()["cache-control"]]).toEqual([404, "no-store"]);
  await page.getByRole("heading", { name: "This link leads nowhere" }).waitFor();
  await context.close();
});
