// Up next in a real browser: what waits, its order, and what a refusal leaves. Also a message to a
// sandbox that sleeps.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const visit = openConsole(world);

const field = "Message to the agent";

/** The texts of the messages that people sent, oldest first. */
async function listSent(path: string): Promise<string[]> {
  const { messages } = (await owner.get(`${path}/messages`)).body.data;
  return messages
    .filter(({ role }: { role: string }) => role === "user")
    .map(({ content }: { content: string }) => content);
}

test("the first letter of a message wakes a paused sandbox, and a message that is sent while it starts arrives", async () => {
  const session = await owner.createSession({ title: "Asleep" });
  await owner.run(session.path, { say: "First." });
  const path = `/api/projects/${world.projectId}/preview`;
  const isPaused = async () => (await owner.get(`${path}/health?sessionId=${session.id}`)).body.data.paused;
  await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [session.id] });
  await until("the pause", isPaused);
  const { page, context } = await visit(`/s/${session.id}`, "owner");
  await page.getByText("First.", { exact: true }).waitFor();
  expect(await isPaused()).toBe(true);
  await page.getByLabel(field).fill("N");
  await until("the wake", async () => !(await isPaused()));
  await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [session.id] });
  await until("the next pause", isPaused);
  const waking = owner.get(`${path}?sessionId=${session.id}`);
  await page.getByLabel(field).fill("Now?");
  await page.getByLabel(field).press("Enter");
  expect(await until("the message", async () => (await listSent(session.path)).at(-1) === "Now?")).toBe(true);
  await waking;
  await context.close();
});

test("a steer that the turn has not taken is shown, also after a reload; Stop returns it to Up next", async () => {
  const session = await owner.createSession({ title: "Steered" });
  await owner.send(session.path, script({ bash: "sleep 600" }, { say: "Never said." }));
  const { page, context } = await visit(`/s/${session.id}`, "owner");
  const steers = page.getByRole("list", { name: "Steers that the turn has not taken yet" });
  await page.getByText("sleep 600").first().waitFor();
  await page.getByLabel(field).fill("Use the blue one.");
  await page.getByRole("button", { name: "Steer", exact: true }).click();
  await steers.getByText("Use the blue one.").waitFor();
  await page.getByLabel(field).fill("And the big one.");
  await page.getByLabel(field).press("Enter");
  await page.getByRole("button", { name: "Steer into the running turn" }).click();
  await steers.getByText("And the big one.").waitFor();
  await expectFit(page);
  const colleague = await visit(`/s/${session.id}`, "member");
  const seen = colleague.page.getByRole("list", { name: "Steers that the turn has not taken yet" });
  await seen.getByRole("listitem").filter({ hasText: "Olive Owner" }).getByText("Use the blue one.").waitFor();
  await page.reload();
  await steers.getByText("And the big one.").waitFor();
  await expect.poll(() => steers.getByRole("listitem").count()).toBe(2);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("region", { name: "Up next" }).getByText("Use the blue one.").waitFor();
  await steers.waitFor({ state: "detached" });
  await seen.waitFor({ state: "detached" });
  await colleague.context.close();
  await context.close();
  await owner.delete(session.path);
});

test("while a turn runs, Enter queues, ↑ edits that at its end; Stop pauses Up next, and Resume sends what waits", async () => {
  const session = await owner.createSession({ title: "Queued" });
  const sent = await owner.send(session.path, script({ bash: "sleep 600" }, { say: "Never said." }));
  const { page, context } = await visit(`/s/${session.id}`, "owner");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await page.getByLabel(field).fill("Then tell me the time.");
  await page.getByLabel(field).press("Enter");
  const upNext = page.getByRole("region", { name: "Up next" });
  await upNext.getByText("Then tell me the time.").waitFor();
  // An edit begins at the end of the text.
  await page.getByLabel(field).press("ArrowUp");
  await upNext.locator("textarea:focus").waitFor();
  await page.keyboard.type(" Please.");
  await page.keyboard.press("Enter");
  await upNext.getByText("Then tell me the time. Please.").waitFor();
  await upNext.getByRole("textbox").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await upNext.getByRole("button", { name: "Resume" }).waitFor();
  expect((await owner.jobUntil(session.path, sent.body.data.chatJobId)).status).toBe("cancelled");
  await expectFit(page);
  await upNext.getByRole("button", { name: "Resume" }).press("Enter");
  await upNext.waitFor({ state: "detached" });
  await page.locator("[data-message-field]:focus").waitFor();
  expect(await until("the message", async () => (await listSent(session.path)).at(-1))).toBe(
    "Then tell me the time. Please.",
  );
  await context.close();
});

test("a message that waits in a session that has ended can be edited and deleted, and is not offered for sending", async () => {
  const session = await owner.createSession({ title: "Ended early" });
  const sent = await owner.send(session.path, script({ bash: "sleep 600" }));
  await owner.send(session.path, "A thought that came late.");
  await owner.post(`${session.path}/jobs/chat/${sent.body.data.chatJobId}/cancel`);
  await owner.jobUntil(session.path, sent.body.data.chatJobId);
  const { page, context } = await visit(`/s/${session.id}`, "owner");
  const upNext = page.getByRole("region", { name: "Up next" });
  await upNext.getByRole("button", { name: "Send now" }).waitFor();
  await upNext.getByRole("button", { name: "Resume" }).waitFor();
  await owner.put(session.path, { status: "archived" });
  for (const name of ["Send now", "Resume"]) await upNext.getByRole("button", { name }).waitFor({ state: "detached" });
  await upNext.getByRole("button", { name: "Edit" }).waitFor();
  await upNext.getByRole("button", { name: "Delete" }).click();
  await until("the deletion", async () => (await owner.get(`${session.path}/queue`)).body.data.messages.length === 0);
  await context.close();
});

test("an edit that begins while Up next is first read is shown, where the window has room", async () => {
  const session = await owner.createSession({ title: "Read late" });
  await owner.send(session.path, script({ bash: "sleep 600" }, { say: "Never said." }));
  const waiting = (await owner.send(session.path, "Then tell me the time.")).body.data.queuedMessageId;
  const { page, context } = await visit("/", "member");
  const [held, next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let reads = 0;
  // The first read is of the state, the second one of the texts.
  await context.route(`**${session.path}/queue`, async (route) => {
    reads += 1;
    if (reads > 2) next.resolve();
    if (reads !== 2) return route.continue();
    const response = await route.fetch();
    held.resolve();
    await next.promise;
    await route.fulfill({ response });
  });
  await page.goto(`${world.baseUrl}/s/${session.id}`);
  await held.promise;
  await owner.call("PATCH", `${session.path}/queue/${waiting}`, { editing: true });
  const editing = page.getByText("is editing");
  await editing.waitFor();
  // A window that becomes as narrow as a phone has no room for the list.
  await page.setViewportSize({ width: 390, height: 800 });
  await editing.waitFor({ state: "detached" });
  await page.setViewportSize({ width: 1_280, height: 800 });
  await editing.waitFor();
  await context.close();
  await owner.delete(session.path);
});

test("Up next is sorted by dragging a handle, and a refused order is taken back", async () => {
  const session = await owner.createSession({ title: "Sorted" });
  await owner.send(session.path, script({ bash: "sleep 600" }, { say: "Never said." }));
  for (const text of ["First thought", "Second thought", "Third thought"]) await owner.send(session.path, text);
  const { page, context } = await visit(`/s/${session.id}`, "owner", { viewport: { width: 1_280, height: 800 } });
  const rows = page.getByRole("region", { name: "Up next" }).getByRole("listitem");
  await rows.getByText("Third thought").waitFor();
  const order = async () => (await rows.getByText(/ thought$/).allTextContents()).map((text) => text.split(" ", 1)[0]);
  /** Drags a row by its handle, beyond another one's middle. */
  const drag = async (from: number, to: number, end: () => Promise<void>) => {
    const [handle, target] = [rows.nth(from).locator("[data-handle]"), rows.nth(to)];
    // Rows may still be moving to their places.
    await handle.hover();
    await (await target.elementHandle())?.waitForElementState("stable");
    const [begin, aim] = [await handle.boundingBox(), await target.boundingBox()];
    if (!begin || !aim) throw new Error("A row is not there.");
    const x = begin.x + begin.width / 2;
    await page.mouse.down();
    await page.mouse.move(x, aim.y + aim.height / 2, { steps: 8 });
    await end();
  };
  const drop = () => page.mouse.up();
  await drag(2, 0, async () => {
    await page.keyboard.press("Escape");
    await drop();
  });
  expect(await order()).toEqual(["First", "Second", "Third"]);
  await drag(2, 0, drop);
  await until("the new order", async () => (await order()).join() === "Third,First,Second");
  await until("the order of the service", async () => {
    const { messages } = (await owner.get(`${session.path}/queue`)).body.data;
    return messages[0].content === "Third thought";
  });
  await expectFit(page);
  // What has the focus leaves with its row, so the next row has it.
  await rows.nth(1).getByRole("button", { name: "Delete" }).press("Enter");
  await rows.getByText("First thought").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Second thought");
  await page.route("**/queue/*/move", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 409, json: { code: "CONFLICT", error: "The order has changed." } })
      : route.continue(),
  );
  await drag(0, 1, drop);
  await page.getByText("The order has changed.").waitFor();
  await until("the order from before", async () => (await order()).join() === "Third,Second");
  await context.close();
});
