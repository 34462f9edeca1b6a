// The pages of the service in a real browser: its own address, and the address of a session, which
// is followed live.
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { accessibilityViolations, type OpenedBrowser, openBrowser } from "../support/chromium.ts";
import { createClient, type Person } from "../support/client.ts";

const world = apiWorld();
const owner = createClient(world);
let opened: OpenedBrowser;
beforeAll(async () => {
  opened = await openBrowser();
});
afterAll(async () => opened?.close());

/** Opens an address, signed in as a person or as nobody. */
async function visit(url: string, person: Person | null, options: BrowserContextOptions = {}) {
  const context = await opened.browser.newContext(options);
  if (person !== null) {
    const [name = "", value = ""] = (await signIn(world, person)).cookie.split("=");
    await context.addCookies([{ name, value, url: world.baseUrl, secure: true }]);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const answer = await page.goto(url);
  return { context, page, status: answer?.status() };
}

/** Looks at a page wide and narrow, light and dark. */
async function expectFit(page: Page): Promise<void> {
  for (const width of [1_100, 360])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    }
}

const told = `# A heading

| a | b |
|---|---|
| 1 | a_long_word_${"x".repeat(80)} |

- [x] done
- [ ] open

<script>document.title = "ran"</script>

![Shot](https://example.com/shot.png) and \`code ${"y".repeat(90)}\``;

test("the service's own address shows what runs and what to do next, signed in or not", async () => {
  const session = await owner.createSession({ title: "On the first page" });
  const stranger = await visit(world.baseUrl, null);
  expect(await stranger.page.getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe(
    "/api/auth/github/connect?returnTo=/",
  );
  expect(await stranger.page.getByRole("link", { name: "The practice code host" }).getAttribute("href")).toBe(
    world.forgeUrl,
  );
  expect(await stranger.page.content()).not.toContain("On the first page");
  await expectFit(stranger.page);
  await stranger.context.close();

  const { page, context } = await visit(world.baseUrl, "owner");
  await page.getByText("You are signed in as").waitFor();
  await expectFit(page);
  await page.getByRole("link", { name: "On the first page" }).click();
  await page.waitForURL(`**${session.path}`);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("On the first page");
  await context.close();

  const asked = await fetch(world.baseUrl, { headers: { accept: "application/json" } });
  expect([asked.status, await asked.json()]).toEqual([404, { error: "There is no such path.", code: "NOT_FOUND" }]);
});

test("the account page makes and revokes API keys, and signs the browser out", async () => {
  const { page, context } = await visit(`${world.baseUrl}/account`, "member");
  const list = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${world.baseUrl}/api/projects`, { headers })).status;
  };
  await page.getByLabel("What the key is called").fill("<b>Laptop</b>");
  await page.getByRole("button", { name: "Make a key" }).click();
  const key = (await page.locator("#made-key", { hasText: "svc_key_" }).textContent()) ?? "";
  expect(await list(key)).toBe(200);
  await expectFit(page);

  await page.reload();
  const row = page.locator("li", { hasText: "<b>Laptop</b>" });
  expect(await row.textContent()).toContain(`…${key.slice(-4)}`);
  expect(await page.content()).not.toContain(key);
  page.once("dialog", (asked) => asked.accept());
  await row.getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "detached" });
  expect(await list(key)).toBe(401);

  await page.getByLabel("What the key is called").fill(" ");
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByRole("alert").filter({ hasText: "name must not be empty" }).waitFor();

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("You are not signed in").waitFor();
  await context.close();
});

test("a session's address leads members to its conversation, and clients of the API to what they got before", async () => {
  const session = await owner.createSession({ title: "Read in a browser" });
  await owner.run(session.path, { bash: "echo seen" }, { say: told });
  const { sessionUrl } = (await owner.get(session.path)).body.data.session;
  const { page, context } = await visit(sessionUrl, "member");
  await page.getByText("The agent is done.").waitFor();
  expect(await page.getByRole("heading", { name: "A heading" }).isVisible()).toBe(true);
  expect(await page.title()).toBe("Read in a browser");
  expect(await page.locator("#conversation img").count()).toBe(0);
  await page.locator("#live", { hasText: "Live" }).waitFor();
  await page.locator("summary").first().focus();
  await page.keyboard.press("Enter");
  await page.getByText("seen").last().waitFor();
  await expectFit(page);
  await context.close();

  const html = { accept: "text/html" };
  const read = async (headers: Record<string, string>) =>
    (await fetch(sessionUrl, { headers })).headers.get("content-type");
  const { authorization } = { authorization: `Bearer ${world.users.owner.apiKey}` };
  const { cookie } = await signIn(world, "owner");
  for (const headers of [{ ...html, authorization }, { authorization }, { cookie }, { cookie, accept: "*/*" }])
    expect(await read(headers)).toMatch(/^application\/json/);

  const stranger = await visit(sessionUrl, null);
  const address = new URL(sessionUrl).pathname;
  expect(await stranger.page.getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe(
    `/api/auth/github/connect?returnTo=${encodeURIComponent(address)}`,
  );
  const unknown = sessionUrl.replace(session.id, "01a202e7-0000-7000-8000-000000000000");
  for (const [url, person] of [
    [sessionUrl, "outsider"],
    [unknown, "owner"],
  ] as const) {
    const other = await visit(url, person);
    expect(other.status).toBe(404);
    expect(await other.page.content()).toContain("You cannot open this session");
    await other.context.close();
  }
  await stranger.context.close();
});

test("an open page of a session follows it: what is sent, what grows and how it ends", async () => {
  const session = await owner.createSession({ title: "Followed" });
  const { page, context } = await visit(`${world.baseUrl}${session.path}`, "owner");
  const complaints: string[] = [];
  page.on("console", (line) => line.type() === "error" && complaints.push(line.text()));
  await page.getByText("No turn yet.").waitFor();
  await page.locator("#live", { hasText: "Live" }).waitFor();
  const steps = [{ say: "**First** words." }, { bash: "echo tool" }, { sleep: 6_000 }, { say: "**Last** words." }];
  const block = ["```practice", ...steps.map((step) => JSON.stringify(step)), "```"].join("\n");
  const sent = await owner.send(session.path, `Look at this.\n${block}`);
  await page.getByText("Look at this.").waitFor();
  await page.getByText("The agent is working.").waitFor();
  await page.locator("strong", { hasText: "First" }).waitFor();
  await page.locator("summary", { hasText: "completed" }).click();
  await owner.jobUntil(session.path, sent.body.data.chatJobId);
  await page.getByText("The agent is done.").waitFor();
  await page.locator("strong", { hasText: "Last" }).waitFor();
  expect(await page.locator("details[open]").count()).toBe(1);
  expect(await page.locator(".growing").count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
