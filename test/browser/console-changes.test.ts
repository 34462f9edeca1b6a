// The Changes panel in a real browser: diffs, comments, and how wide it is.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const visit = openConsole(world);

test("a change is read, commented on, and the comment reaches the agent", async () => {
  const session = await owner.createSession({ title: "Reviewed" });
  await owner.run(
    session.path,
    { write: { path: "<b>notes</b>.txt", content: "first line\nsecond line\n" } },
    { write: { path: `${"deep/".repeat(30)}z-order.txt`, content: "By time.\n" } },
    { write: { path: "sort.ts", content: 'export const order = "time"; // of departure\n' } },
  );
  const { page, context } = await visit(`/s/${session.id}?panel=changes`, "owner");
  const panel = page.getByRole("complementary");
  await panel.getByText("<b>notes</b>.txt").first().waitFor();
  await panel.getByText("second line").first().waitFor();
  await panel.locator("[style*='--code-token-string']", { hasText: "time" }).waitFor();
  // Of a path that does not fit, the file's own name is seen.
  const name = panel.getByText("z-order.txt", { exact: true }).first();
  expect(await name.evaluate((node) => node.scrollWidth <= node.clientWidth)).toBe(true);
  await expectFit(page);
  const message = panel.getByLabel("Message of the commit");
  await message.fill("Sort by time");
  const answered = Promise.withResolvers<void>();
  await page.route("**/git/commit", async (route) => {
    await answered.promise;
    await route.continue();
  });
  await panel.getByRole("button", { name: "Commit", exact: true }).press("Enter");
  await panel.getByRole("button", { name: "Committing…" }).waitFor();
  await message.fill("Sort by time\nThe next one");
  await message.blur();
  answered.resolve();
  await panel.getByText(/^Committed [0-9a-f]{7}\.$/).waitFor();
  expect(await message.inputValue()).toBe("The next one");
  const readFocus = () => page.evaluate("document.activeElement.ariaLabel");
  await until("the focus", async () => (await readFocus()) === "Message of the commit");
  await context.close();
});

test("asleep, a draft wakes the sandbox; the refusal of one goes with the commit that follows", async () => {
  const session = await owner.createSession({ title: "Drafted" });
  await owner.run(session.path, { write: { path: "one.ts", content: "const one = 1;\n" } });
  const isRead = async (isAwake: boolean) => {
    const { available, files } = (await owner.get(`${session.path}/preview/changed-files?kept=true`)).body.data;
    return available === isAwake && files.length === 1;
  };
  await until("the change", () => isRead(true));
  await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [session.id] });
  await until("the saved work", () => isRead(false));
  const { page, context } = await visit(`/s/${session.id}?panel=changes`, "owner");
  const panel = page.getByRole("complementary");
  await panel.getByText("Asleep: draft, commit and push wake the sandbox.").waitFor();
  await panel.getByRole("button", { name: "Draft it" }).click();
  const message = panel.getByLabel("Message of the commit");
  await expect.poll(() => message.inputValue(), { timeout: 60_000 }).toBe("Add one.ts");
  // What a person types while it is drafted stays.
  const typed = Promise.withResolvers<void>();
  await page.route("**/commit-message", async (route) => {
    await typed.promise;
    await route.continue();
  });
  const draft = panel.getByRole("button", { name: "Draft it" });
  await draft.click();
  await message.fill("Add the number one");
  typed.resolve();
  await until("the draft", () => draft.isEnabled());
  expect(await message.inputValue()).toBe("Add the number one");
  await page.unroute("**/commit-message");
  await page.route("**/commit-message", (route) =>
    route.fulfill({ status: 400, json: { error: "There is nothing to draft.", code: "BAD_REQUEST" } }),
  );
  await panel.getByRole("button", { name: "Draft it" }).click();
  const refusal = panel.getByText("There is nothing to draft.");
  await refusal.waitFor();
  await panel.getByRole("button", { name: "Commit", exact: true }).click();
  await panel.getByText(/^Committed [0-9a-f]{7}\.$/).waitFor();
  expect(await refusal.count()).toBe(0);
  await context.close();
});

test("a diff has its sides beside each other where the panel is wide, as this browser keeps it", async () => {
  const session = await owner.createSession({ title: "Beside" });
  await owner.run(session.path, { bash: "sed -i '1s/$/ changed/;3d' README.md" });
  await owner.run(session.path, { write: { path: "one.ts", content: "const one = 1;\n" } });
  const { page, context } = await visit(`/s/${session.id}?panel=changes`, "owner", {
    viewport: { width: 1_280, height: 800 },
  });
  const panel = page.getByRole("complementary");
  const toggle = panel.getByRole("button", { name: "Old and new side by side" });
  const readme = panel.getByRole("region", { name: "README.md" });
  // A mouse on the text of a line sees beside its number that one can comment on it.
  const number = readme.locator("[data-number]").first();
  const opacity = "getComputedStyle(document.querySelector('[data-number]'), '::before').opacity";
  const seen = () => page.evaluate<string>(opacity);
  await expect.poll(seen).toBe("0");
  await number.locator("xpath=following-sibling::*").last().hover();
  await expect.poll(seen).toBe("1");
  await expect.poll(() => toggle.getAttribute("title")).toContain("too narrow");
  await toggle.press("Enter");
  expect(await panel.locator("[data-side]").count()).toBe(0);
  await page.getByRole("separator", { name: "Width of the panel" }).press("Home");
  await until("room for both sides", async () => (await toggle.getAttribute("aria-disabled")) === null);
  await toggle.click();
  const [removed, added] = [readme.locator("[data-side=old]").first(), readme.locator("[data-side=new]").first()];
  await removed.getByText("−").waitFor();
  const isBeside = async () => (await removed.boundingBox())?.y === (await added.boundingBox())?.y;
  await until("both sides at one height", isBeside);
  // By keys: down to the first line, its old side, and a comment on that.
  await readme.getByRole("group").focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowLeft", "Enter"]) await page.keyboard.press(key);
  await page.getByLabel("Comment on README.md, line 1").fill("Why another title?");
  // What is not finished is there again after a reload, and a folded file says so.
  await page.reload();
  await until("the text", async () => (await page.getByLabel("Comment on README.md, line 1").inputValue()) !== "");
  const fold = readme.getByRole("button", { name: /README\.md/, expanded: true });
  await fold.click();
  await readme.getByText("1 unfinished comment").waitFor();
  await readme.getByRole("button", { name: /README\.md/, expanded: false }).click();
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  // The field has the same text until the comment is stored.
  await page.getByLabel("Comment on README.md, line 1").waitFor({ state: "detached" });
  await readme.getByText("Why another title?").waitFor();
  const { comments } = (await owner.get(`${session.path}/review-comments`)).body.data;
  expect(comments).toMatchObject([{ side: "old", startLineNumber: 1, body: "Why another title?" }]);
  await panel.getByRole("region", { name: "one.ts" }).getByRole("checkbox").check();
  await expectFit(page);
  await page.reload();
  await removed.waitFor();
  await panel.getByRole("region", { name: "one.ts" }).getByRole("checkbox", { checked: true }).waitFor();
  await toggle.click();
  await removed.waitFor({ state: "detached" });
  await readme.getByText("Why another title?").waitFor();
  await readme.getByRole("button", { name: "Resolve" }).press("Enter");
  await readme.getByText("✓ resolved").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Open again");
  await readme.getByRole("button", { name: "Delete the comment" }).press("Enter");
  await readme.getByText("Why another title?").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toContain("Lines of README.md");
  await context.close();
});

test("what would turn the direction of names and lines is shown as signs, and copied as it is", async () => {
  const session = await owner.createSession({ title: "a\u202efdp.txt" });
  const path = "a\u202efdp.js/new\nline.txt";
  const write = { path, content: "const a = 1; // \u202eevil\n" };
  await owner.run(session.path, { write }, { say: "Open `gnp.\u202eexe`." });
  const { page, context } = await visit(`/s/${session.id}?panel=changes`, "owner");
  await page.getByRole("heading", { name: "a\ufffdfdp.txt" }).waitFor();
  await page.getByText("gnp.\ufffdexe", { exact: true }).first().waitFor();
  const file = page.getByRole("region", { name: "a\ufffdfdp.js/new\u240aline.txt" });
  await file.getByText("Each is shown as a sign.").waitFor();
  const line = file.getByText("// \ufffdevil");
  await line.waitFor();
  await line.selectText();
  const copied = await page.evaluate<string>(`new Promise((resolve) => {
    addEventListener("copy", () => resolve(String(getSelection())), { once: true });
    document.execCommand("copy");
  })`);
  expect(copied).toContain("// \u202eevil");
  await line.waitFor();
  await expectFit(page);
  await context.close();
});

test("keys lead through the regions and mark a file, until a person switches single keys off", async () => {
  const session = await owner.createSession({ title: "By keys" });
  await owner.run(session.path, { write: { path: "one.ts", content: "const one = 1;\n" } });
  const { page, context } = await visit(`/s/${session.id}?panel=changes`, "owner");
  const file = page.getByRole("complementary").getByRole("region", { name: "one.ts" });
  const viewed = file.getByRole("checkbox");
  await file.locator("[data-number]").first().waitFor();
  await page.evaluate("document.activeElement.blur()");
  const readFocus = () => page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.localName");
  for (const [key, focus] of [
    ["F6", "Pages and sessions"],
    ["F6", "main"],
    ["F6", "Panel"],
    ["F6", "Pages and sessions"],
    ["Shift+F6", "Panel"],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => readFocus()).toBe(focus);
  }
  for (const key of ["j", "v"]) await page.keyboard.press(key);
  await expect.poll(() => viewed.isChecked()).toBe(true);
  await page.setViewportSize({ width: 1_280, height: 500 });
  await page.keyboard.press("?");
  // The check box is below the list, which begins at its top.
  const keys = page.getByRole("dialog", { name: "Keys" });
  await expect.poll(() => keys.evaluate((node) => node.matches(":focus, :has(:focus)"))).toBe(true);
  expect(await keys.evaluate((node) => [node.scrollTop, node.scrollHeight > node.clientHeight])).toEqual([0, true]);
  await page.getByRole("checkbox", { name: "Single keys are on in this browser" }).uncheck();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await file.getByRole("button", { name: /one\.ts/, expanded: false }).focus();
  await page.keyboard.press("v");
  await expect.poll(() => viewed.isChecked()).toBe(true);
  await expectFit(page);
  await context.close();
});

test("files that are viewed in two windows of a browser are marked in both", async () => {
  const session = await owner.createSession({ title: "In two windows" });
  const write = (path: string) => ({ write: { path, content: "const value = 1;\n" } });
  await owner.run(session.path, write("one.ts"), write("two.ts"));
  const { page, context } = await visit(`/s/${session.id}?panel=changes`, "owner");
  const other = await context.newPage();
  await other.goto(page.url());
  const mark = (window: Page, name: string) =>
    window.getByRole("complementary").getByRole("region", { name }).getByRole("checkbox");
  await mark(other, "two.ts").waitFor();
  await mark(page, "one.ts").check();
  await expect.poll(() => mark(other, "one.ts").isChecked()).toBe(true);
  await mark(other, "two.ts").check();
  await expect.poll(() => mark(page, "two.ts").isChecked()).toBe(true);
  await page.reload();
  for (const name of ["one.ts", "two.ts"]) await expect.poll(() => mark(page, name).isChecked()).toBe(true);
  await context.close();
});

test("comments that one browser sent are not offered as new in another", async () => {
  const session = await owner.createSession({ title: "Sent" });
  await owner.run(session.path, { write: { path: "one.ts", content: "const one = 1;\n" } });
  const comment = { filePath: "one.ts", side: "new", startLineNumber: 1, endLineNumber: 1 };
  for (const body of ["Why one?", "Why const?"])
    await owner.post(`${session.path}/review-comments`, { ...comment, body });
  const [first, second] = await Promise.all(
    ["owner", "owner"].map(() => visit(`/s/${session.id}?panel=changes`, "owner")),
  );
  const send = (name: string) => ({ name, exact: true });
  await second?.page.getByRole("button", send("Send 2 comments to the agent")).waitFor();
  await first?.page.getByRole("button", send("Send 2 comments to the agent")).click();
  for (const visited of [first, second])
    await visited?.page.getByRole("button", send("Send 2 comments again")).waitFor();
  await owner.post(`${session.path}/review-comments`, { ...comment, body: "Why a semicolon?" });
  await second?.page.reload();
  await second?.page.getByRole("button", send("Send 1 comment to the agent")).waitFor();
  for (const visited of [first, second]) await visited?.context.close();
});

test("a file that a running turn has written is in Changes and in Files before the turn ends", async () => {
  const session = await owner.createSession({ title: "Written meanwhile" });
  const { page, context } = await visit(`/s/${session.id}?panel=changes`, "owner");
  const panel = page.getByRole("complementary");
  await panel.getByText("Nothing is saved of this session yet.").waitFor();
  const files = await context.newPage();
  await files.goto(`${world.baseUrl}/s/${session.id}?panel=files`);
  await files.getByRole("button", { name: "Wake", exact: true }).waitFor();
  const steps = [{ write: { path: "during.ts", content: "const now = 1;\n" } }, { bash: "sleep 600" }];
  const sent = await owner.send(session.path, script(...steps));
  await panel.getByText("during.ts").first().waitFor();
  await files.getByRole("complementary").getByRole("button", { name: "during.ts" }).waitFor();
  await panel.getByText("A turn runs: commit and push wait until it ends.").waitFor();
  await owner.post(`${session.path}/jobs/chat/${sent.body.data.chatJobId}/cancel`);
  await owner.jobUntil(session.path, sent.body.data.chatJobId);
  await context.close();
});

test("a comment that is being written stays below its lines while the file changes", async () => {
  const session = await owner.createSession({ title: "Moved" });
  await owner.run(session.path, { write: { path: "list.txt", content: "one\ntwo\nthree\n" } });
  const { page, context } = await visit(`/s/${session.id}?panel=changes`, "owner");
  const file = page.getByRole("complementary").getByRole("region", { name: "list.txt" });
  await file.locator("[data-number]").nth(1).click();
  await page.keyboard.type("Why two?");
  const change = async (content: string) => {
    const body = { path: "list.txt", content, clientId: crypto.randomUUID() };
    expect((await owner.put(`${session.path}/preview/files/content`, body)).status).toBe(200);
    // The focus stays where it is, as when a turn changes the file.
    await page.getByRole("button", { name: "Read again" }).dispatchEvent("click");
  };
  const field = (line: number) => page.getByLabel(`Comment on list.txt, line ${line}`);
  await field(2).waitFor();
  await change("zero\none\ntwo\nthree\n");
  await field(3).waitFor();
  await page.keyboard.type(" Three!");
  await page.reload();
  await field(3).waitFor();
  await change("three\n");
  await file.getByText("1 unfinished comment, on lines that are not shown").waitFor();
  await field(3).waitFor({ state: "detached" });
  await file.locator("[data-number]").first().click();
  expect(await field(1).inputValue()).toBe("Why two? Three!");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await field(1).waitFor({ state: "detached" });
  const { comments } = (await owner.get(`${session.path}/review-comments`)).body.data;
  expect(comments).toMatchObject([{ startLineNumber: 1, lineSnapshot: "three", body: "Why two? Three!" }]);
  await context.close();
});

test("a comment that somebody resolves, and a commit, are shown to a colleague who has Changes open", async () => {
  const session = await owner.createSession({ title: "Seen by two" });
  await owner.run(session.path, { write: { path: "two.ts", content: "const two = 2;\n" } });
  const place = { filePath: "two.ts", side: "new", startLineNumber: 1, endLineNumber: 1 };
  const added = await owner.post(`${session.path}/review-comments`, { ...place, body: "Why two?" });
  const { page, context } = await visit("/", "member");
  await page.clock.install();
  await page.goto(`${world.baseUrl}/s/${session.id}?panel=changes`);
  const panel = page.getByRole("complementary");
  await panel.getByRole("button", { name: "Resolve" }).waitFor();
  await panel.getByPlaceholder("Commit 1 file").waitFor();
  await owner.patch(`${session.path}/review-comments/${added.body.data.comment.id}`, { resolved: true });
  await owner.post(`${session.path}/preview/git/commit`, { message: "Add two" });
  await page.clock.runFor(31_000);
  await panel.getByRole("button", { name: "Resolve" }).waitFor({ state: "detached" });
  await panel.getByPlaceholder("All is committed").waitFor();
  await panel.getByText("not committed", { exact: true }).waitFor({ state: "detached" });
  await context.close();
});

test("the panel is as wide as the person made it, also after a reload", async () => {
  const session = await owner.createSession({ title: "Wide" });
  const { page, context } = await visit(`/s/${session.id}?panel=info`, "owner", {
    viewport: { width: 1_280, height: 800 },
  });
  const line = page.getByRole("separator", { name: "Width of the panel" });
  const readPercent = async () => Number(await line.getAttribute("aria-valuenow"));
  await line.focus();
  await page.keyboard.press("ArrowLeft");
  expect(await readPercent()).toBe(50);
  const box = await line.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 4, 400);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) + 204, 400, { steps: 4 });
  await page.mouse.up();
  const dragged = await readPercent();
  expect(dragged).toBeLessThan(40);
  await page.reload();
  await line.waitFor();
  expect(await readPercent()).toBe(dragged);
  await context.close();
});
