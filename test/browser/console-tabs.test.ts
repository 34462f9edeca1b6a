// Many tabs of one browser, which has six connections for all of them.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, type OpenedSession, script } from "../support/client.ts";
import { openConsole, show } from "../support/console-page.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const visit = openConsole(world);

const seeTitle = (page: Page, title: string) => page.getByRole("main").getByText(title).first().waitFor();

test("seven tabs share a line, each gets every event, and another tab takes over from one that closes", async () => {
  await owner.createSession({ title: "There before" });
  const { page: first, context } = await visit("/sessions", "owner");
  const leaders = new Set<Page>();
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/events") leaders.add(request.frame().page());
  });
  await first.getByText(/Live$/).waitFor();
  const others: Page[] = [];
  for (let tab = 2; tab <= 7; tab++) {
    const page = await context.newPage();
    await page.goto(`${world.baseUrl}/sessions`);
    await seeTitle(page, "There before");
    await page.getByText(/Live$/).waitFor();
    others.push(page);
  }
  expect(others.filter((page) => leaders.has(page))).toEqual([]);
  await owner.createSession({ title: "Heard by all" });
  for (const page of [first, ...others]) await seeTitle(page, "Heard by all");
  await first.close();
  await owner.createSession({ title: "Heard by the rest" });
  for (const page of others) await seeTitle(page, "Heard by the rest");
  expect(others.filter((page) => leaders.has(page))).toHaveLength(1);
  await context.close();
});

test("a tab that is out of sight for a while has no line, and has missed nothing when it is back", async () => {
  const session = await owner.createSession({ title: "Left for a while" });
  await owner.run(session.path, { say: "The first answer." });
  const { page, context } = await visit("/account", "owner");
  await page.clock.install();
  const eventsPath = `${session.path}/events`;
  // A line that still connects ends sooner, for another reason.
  const connected = page.waitForResponse((response) => new URL(response.url()).pathname === eventsPath);
  await page.goto(`${world.baseUrl}/s/${session.id}`);
  await connected;
  await page.getByText("The first answer.").first().waitFor();
  await page.getByText(/Live$/).waitFor();
  const ended: string[] = [];
  page.on("requestfailed", (request) => ended.push(new URL(request.url()).pathname));
  await show(page, "hidden");
  await page.clock.runFor(15_000);
  expect(ended).toEqual([]);
  await page.clock.runFor(16_000);
  await until("both lines to end", () => ended.length === 2);
  expect(ended.toSorted()).toEqual(["/api/events", eventsPath]);
  await owner.run(session.path, { say: "Said meanwhile." });
  await owner.createSession({ title: "Made meanwhile" });
  expect(await page.getByText("Said meanwhile.").count()).toBe(0);
  await show(page, "visible");
  await page.getByText("Said meanwhile.").first().waitFor();
  await page.getByRole("navigation").getByText("Made meanwhile").first().waitFor();
  await context.close();
});

test("a tab that comes back while another one leads reads what it has missed", async () => {
  const { page: leader, context } = await visit("/sessions", "owner");
  await leader.getByText(/Live$/).waitFor();
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(`${world.baseUrl}/sessions`);
  await page.getByText(/Live$/).waitFor();
  await owner.createSession({ title: "Heard in sight" });
  await seeTitle(page, "Heard in sight");
  await show(page, "hidden");
  await page.clock.runFor(31_000);
  await owner.createSession({ title: "Made out of sight" });
  await seeTitle(leader, "Made out of sight");
  expect(await page.getByText("Made out of sight").count()).toBe(0);
  await show(page, "visible");
  await seeTitle(page, "Made out of sight");
  await context.close();
});

test("seven windows show seven sessions: each is live, and a message of the seventh is sent", async () => {
  const sessions = await Promise.all(
    Array.from({ length: 7 }, (_, at) => owner.createSession({ title: `Window ${at + 1}` })),
  );
  const { page: first, context } = await visit("/account", "owner");
  // Every page of a test is in focus, but only one window of a person is.
  await context.addInitScript("Document.prototype.hasFocus = () => false");
  const field = "Message to the agent";
  const windows: Page[] = [];
  for (const { id } of sessions) {
    const page = await context.newPage();
    await page.goto(`${world.baseUrl}/s/${id}`);
    await page.getByLabel(field).waitFor();
    windows.push(page);
  }
  await first.close();
  const last = windows.at(-1) as Page;
  await last.getByLabel(field).fill(script({ say: "Sent by hand." }));
  await last.getByLabel(field).press("Enter");
  await last.getByText("Sent by hand.", { exact: true }).waitFor();
  for (const [at, page] of windows.entries()) {
    const { id, path } = sessions[at] as OpenedSession;
    await owner.run(path, { say: `Said in window ${at + 1}.` });
    await page.getByText(`Said in window ${at + 1}.`, { exact: true }).waitFor();
    // The workspace's plan limits how many run.
    await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [id] });
  }
  await context.close();
});

test("a window that waits for the others shows what was read, and says what it waits for", async () => {
  const session = await owner.createSession({ title: "Waits" });
  await owner.run(session.path, { say: "Read before." });
  const { page: other, context } = await visit("/account", "owner");
  await other.evaluate(`globalThis.leave = new AbortController();
    for (const line of [1, 2, 3]) navigator.locks.request("switchyard-line " + line, () =>
      new Promise((resolve) => leave.signal.addEventListener("abort", resolve))); 0`);
  const page = await context.newPage();
  await page.goto(`${world.baseUrl}/s/${session.id}`);
  await page.getByText("Read before.").first().waitFor();
  await page.getByText("waits for other windows…").waitFor();
  await other.evaluate("leave.abort()");
  await page.getByText("waits for other windows…").waitFor({ state: "detached" });
  await owner.run(session.path, { say: "Said after." });
  await page.getByText("Said after.").first().waitFor();
  await context.close();
});
