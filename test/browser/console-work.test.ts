// A day of work in the console, in a real browser: start, answer, stop, find, sort, review.
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

/** Counts the drafts with files. A string, because it runs in the page. */
const countKeptFiles = `new Promise((resolve) => {
  const opening = indexedDB.open("switchyard-drafts");
  opening.onsuccess = () => {
    const counting = opening.result.transaction("files").objectStore("files").count();
    counting.onsuccess = () => resolve(counting.result > 0);
  };
})`;

test("work starts in the inbox, and its turn is read to its end", async () => {
  const { page, context } = await visit("/", "owner");
  await page
    .getByLabel("What should be done?")
    .fill(script({ bash: "echo from-a-tool" }, { say: "**All** is sorted." }));
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "board.txt", mimeType: "text/plain", buffer: Buffer.from("by time") });
  await page.getByRole("button", { name: "Remove board.txt" }).waitFor();
  await expectFit(page);
  await until("the file in the browser's database", () => page.evaluate(countKeptFiles));
  await page.reload();
  await page.getByRole("button", { name: "Remove board.txt" }).waitFor();
  const answered = Promise.withResolvers<void>();
  const isSent = Promise.withResolvers<void>();
  await page.route("**/chat-sessions", async (route) => {
    isSent.resolve();
    await answered.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Start" }).click();
  await isSent.promise;
  const next = page.getByLabel("What should be done?");
  await next.press("ControlOrMeta+End");
  await next.pressSequentially(" And the next thing.");
  answered.resolve();
  await page.waitForURL("**/s/*");
  await page.goBack();
  await expect.poll(() => next.inputValue()).toBe("And the next thing.");
  await next.fill("");
  await page.goForward();
  await page.getByText("board.txt").first().waitFor();
  await page.getByText("All is sorted.").first().waitFor();
  await page.getByRole("main").getByText("done").first().waitFor();
  await page.getByRole("button", { name: /echo from-a-tool/ }).click();
  await page.getByText("from-a-tool", { exact: true }).first().waitFor();
  await expectFit(page);
  await context.close();
});

test("who leaves the inbox while a session starts stays elsewhere, and its files are not sent again", async () => {
  const { page, context } = await visit("/", "owner");
  await page.getByLabel("What should be done?").fill(script({ say: "Started." }));
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "board.txt", mimeType: "text/plain", buffer: Buffer.from("by time") });
  await until("the file in the browser's database", () => page.evaluate(countKeptFiles));
  const isLeft = Promise.withResolvers<void>();
  await page.route("**/chat-sessions", async (route) => {
    await isLeft.promise;
    await route.continue();
  });
  const asked = page.waitForRequest("**/chat-sessions");
  await page.getByRole("button", { name: "Start" }).click();
  await asked;
  await page.getByRole("navigation").getByRole("link", { name: "Crons" }).click();
  await page.getByRole("heading", { level: 1, name: "Crons" }).waitFor();
  isLeft.resolve();
  await until("the sent file to be forgotten", async () => !(await page.evaluate(countKeptFiles)));
  expect(new URL(page.url()).pathname).toBe("/crons");
  await page.getByRole("navigation").getByRole("link", { name: "Inbox" }).click();
  await expect.poll(() => page.getByLabel("What should be done?").inputValue()).toBe("");
  expect(await page.getByRole("button", { name: "Remove board.txt" }).count()).toBe(0);
  await context.close();
});

const questions = [
  {
    topic: "Order",
    question: "By time or by line?",
    options: [
      { title: "By time", description: "As travellers read it.", isRecommended: true },
      { title: "By line", description: "As the timetable has it.", isRecommended: false },
    ],
  },
];

test("a question is answered by a digit and Enter", async () => {
  const session = await owner.createSession({ title: "Asks" });
  await owner.run(session.path, { ask: { questions } });
  const { page, context } = await visit("/", "owner");
  await page.getByRole("main").getByRole("link", { name: "Asks" }).first().click();
  const card = page.getByRole("region", { name: "The agent asks" });
  await card.waitFor();
  await expectFit(page);
  await page.keyboard.press("1");
  await page.keyboard.press("Enter");
  await card.waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe(field);
  await until("the answer", async () => (await listSent(session.path)).length === 2);
  await page.getByText("By time").first().waitFor();
  await context.close();
});

test("a question is answered on its row of the inbox, by keys or by a click", async () => {
  const sessions = [
    await owner.createSession({ title: "Asks by key" }),
    await owner.createSession({ title: "Asks by click" }),
  ];
  for (const { path } of sessions) await owner.run(path, { ask: { questions } });
  const { page, context } = await visit("/", "owner");
  const rows = page.getByRole("main").getByRole("listitem");
  const byKey = rows.filter({ hasText: "Asks by key" });
  await byKey.getByRole("button", { name: "By line" }).waitFor();
  await expectFit(page);
  await byKey.getByRole("link").focus();
  await page.keyboard.press("2");
  await byKey.getByRole("button", { name: "Send answer" }).waitFor();
  await page.keyboard.press("Enter");
  await byKey.getByRole("button", { name: "By line" }).waitFor({ state: "detached" });
  const byClick = rows.filter({ hasText: "Asks by click" });
  await byClick.getByRole("button", { name: "By time" }).click();
  await byClick.getByRole("button", { name: "Send answer" }).click();
  await byClick.getByRole("button", { name: "By time" }).waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toBe("/");
  for (const [index, answer] of ["By line", "By time"].entries()) {
    const path = sessions[index]?.path ?? "";
    await until("the answer", async () => (await listSent(path)).length === 2);
    const { messages } = (await owner.get(`${path}/messages`)).body.data;
    expect(messages.findLast(({ role }: { role: string }) => role === "user")).toMatchObject({
      context: { answers: [{ option: answer }] },
    });
  }
  await context.close();
});

test("what needs the person is new in their inbox until they open it, wherever that is", async () => {
  const session = await owner.createSession({ title: "Broken today" });
  await owner.run(session.path, { fail: "context_window_exceeded" });
  const [inbox, elsewhere] = [await visit("/", "owner"), await visit("/activity", "owner")];
  const row = inbox.page.getByRole("main").getByRole("link", { name: /Broken today/ });
  await row.getByText("new", { exact: true }).waitFor();
  await expectFit(inbox.page);
  await elsewhere.page
    .getByRole("navigation")
    .getByRole("link", { name: /Broken today/ })
    .click();
  await elsewhere.page.waitForURL("**/s/*");
  await row.getByText("new", { exact: true }).waitFor({ state: "detached" });
  expect((await owner.get(session.path)).body.data.session).toMatchObject({ isSeen: true });
  await Promise.all([inbox.context.close(), elsewhere.context.close()]);
});

test("what was said is found in the inbox and in the palette", async () => {
  const session = await owner.createSession({ title: "Birds" });
  await owner.run(session.path, { say: "The heron and the kingfisher are sorted." });
  const { page, context } = await visit("/", "owner");
  await until("the index", async () => (await owner.get("/api/message-search?q=kingfisher")).body.data.length > 0);
  await page.getByLabel("Search titles and messages").fill("heron kingf");
  const found = page.getByRole("main").getByRole("link", { name: /An answer in Birds/ });
  await found.waitFor();
  await expect.poll(() => found.locator("mark").allTextContents()).toEqual(["heron", "kingfisher"]);
  await expectFit(page);
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Find a session or do something" }).fill("kingfisher");
  await page
    .getByRole("option", { name: /kingfisher.* Birds/ })
    .first()
    .click();
  await page.waitForURL(`**/s/${session.id}?turn=*`);
  await context.close();
});

test("two windows of a session have one draft: each shows what was typed in the other", async () => {
  const { id } = await owner.createSession({ title: "Beside each other" });
  const { page: left, context } = await visit(`/s/${id}`, "owner");
  const right = await context.newPage();
  await right.goto(left.url());
  await left.getByLabel(field).fill("From the left.");
  await expect.poll(() => right.getByLabel(field).inputValue()).toBe("From the left.");
  await right.getByLabel(field).fill("From the left. And the right.");
  await expect.poll(() => left.getByLabel(field).inputValue()).toBe("From the left. And the right.");
  await context.close();
});

test("two windows have one text of a new session, and one of a file that is edited", async () => {
  const session = await owner.createSession({ title: "Two windows" });
  await owner.run(session.path, { write: { path: "one.txt", content: "one\n" } });
  const { page: left, context } = await visit("/", "owner");
  const right = await context.newPage();
  for (const [path, label] of [
    ["/", "What should be done?"],
    [`/s/${session.id}?panel=files&file=one.txt`, "Text of one.txt"],
  ] as const) {
    for (const page of [left, right]) await page.goto(world.baseUrl + path);
    const [leftField, rightField] = [left, right].map((page) => page.getByRole("textbox", { name: label }));
    if (path !== "/") {
      // An edit that begins in one window is in the other.
      await right.getByText("one", { exact: true }).waitFor();
      await left.getByRole("button", { name: "Edit", exact: true }).click();
    }
    await leftField?.fill("From the left.");
    await expect.poll(() => rightField?.inputValue()).toBe("From the left.");
    await rightField?.press("End");
    await rightField?.pressSequentially(" And the right.");
    await expect.poll(() => leftField?.inputValue()).toBe("From the left. And the right.");
  }
  await left.getByRole("button", { name: "Save", exact: true }).click();
  await right.getByRole("button", { name: "Edit", exact: true }).waitFor();
  await left.goto(world.baseUrl);
  await left.getByLabel("What should be done?").fill("");
  await context.close();
});

test("what is typed survives a closed tab, and a cut line sends it once", async () => {
  const session = await owner.createSession({ title: "Kept" });
  const { page, context } = await visit(`/s/${session.id}`, "owner");
  await page.getByLabel(field).fill("Half a thought");
  await until("the draft to be saved", async () => {
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByLabel(field).waitFor();
    const kept = await other.getByLabel(field).inputValue();
    await other.close();
    return kept === "Half a thought";
  });
  await page.close();
  const again = await context.newPage();
  await again.goto(`${world.baseUrl}/s/${session.id}`);
  await until("the draft", async () => (await again.getByLabel(field).inputValue()) === "Half a thought");

  // The service gets the message, and its answer is lost.
  let isCut = false;
  await again.route("**/jobs/chat", async (route) => {
    if (isCut || route.request().method() !== "POST") return await route.continue();
    isCut = true;
    await route.fetch();
    await route.abort("connectionreset");
  });
  await again.getByLabel(field).press("Enter");
  await again.getByText("Half a thought").first().waitFor();
  await until("the field to be empty", async () => (await again.getByLabel(field).inputValue()) === "");
  await until("the turn to end", async () => {
    const { data } = (await owner.get(`${session.path}/jobs/chat`)).body;
    return data.length > 0 && data.every(({ status }: { status: string }) => status === "completed");
  });
  expect(isCut).toBe(true);
  expect(await listSent(session.path)).toEqual(["Half a thought"]);
  await context.close();
});

test("a conversation opens at its end", async () => {
  const session = await owner.createSession({ title: "Long" });
  await owner.run(session.path, { write: { path: "long.txt", content: "x" } }, { bash: "ls" });
  await owner.run(session.path, { say: "A line.\n\n".repeat(80) });
  const sent = await owner.send(session.path, "A long text.\n\n".repeat(20));
  await owner.jobUntil(session.path, sent.body.data.chatJobId);
  for (const height of [900, 500]) {
    const { page, context } = await visit(`/s/${session.id}`, "owner", { viewport: { width: 1_280, height } });
    await page.getByText("A long text.").last().waitFor();
    await until("the end to be seen", async () => {
      const box = 'document.querySelector("[role=feed]").parentElement';
      return (await page.evaluate<number>(`${box}.scrollHeight - ${box}.scrollTop - ${box}.clientHeight`)) < 2;
    });
    expect(await page.getByRole("button", { name: "To the end" }).count()).toBe(0);
    await context.close();
  }
});

test("the board has the open sessions by status; a card is dragged, or started", async () => {
  await owner.createSession({ title: "Filed for the board", status: "backlog", prompt: "Look." });
  const dragged = await owner.createSession({ title: "Dragged on the board" });
  await owner.run(dragged.path, { say: "Done." });
  const { page, context } = await visit("/sessions", "owner");
  await page.getByRole("link", { name: "Board", exact: true }).click();
  await page.waitForURL("**/sessions?view=board");
  const column = (name: string) => page.getByRole("main").getByRole("region", { name: `${name}, a column` });
  const card = (title: string) => page.getByRole("main").getByRole("listitem").filter({ hasText: title });
  await card("Dragged on the board").waitFor();
  await expectFit(page);
  await card("Dragged on the board").dragTo(column("Backlog"));
  await card("Dragged on the board").dragTo(column("Under review"));
  await column("Under review").getByText("Dragged on the board").waitFor();
  await until("the status", async () => (await owner.get(dragged.path)).body.data.session.status === "under-review");
  await page.getByRole("button", { name: "Start Filed for the board" }).click();
  await column("Active").getByText("Filed for the board").waitFor();
  await context.close();
});

test("a full page of the list gets its next row when one of its sessions is deleted", async () => {
  const file = (title: string) => owner.createSession({ title, status: "backlog", prompt: "Look." });
  await file("Oldest of a full page");
  await Promise.all(Array.from({ length: 49 }, (_, at) => file(`Row ${at} of a full page`)));
  const newest = await file("Newest of a full page");
  const { page, context } = await visit("/sessions", "owner");
  const list = page.getByRole("main");
  await page.getByText(/Live$/).waitFor();
  // With its line, the page reads the lists that it has again. This one is read after them.
  await list.getByLabel("Search in titles and prompts").fill("of a full page");
  await page.waitForURL("**/sessions?q=*");
  await list.locator("ul[aria-busy=false]").getByText("Newest of a full page").waitFor();
  expect(await list.getByText("Oldest of a full page").count()).toBe(0);
  await owner.call("DELETE", newest.path);
  await list.getByText("Oldest of a full page").waitFor();
  expect(await list.getByText("Newest of a full page").count()).toBe(0);
  await list.getByRole("button", { name: "Older" }).waitFor();
  await context.close();
});

test("a link to a turn opens it, and leaves the end of the conversation", async () => {
  const session = await owner.createSession({ title: "Linked" });
  await owner.run(session.path, { say: "The first answer." });
  const { id } = await owner.run(session.path, { say: "The second answer.\n\nIt is long. ".repeat(3) });
  for (let turn = 0; turn < 3; turn++) await owner.run(session.path, { say: "A line.\n\n".repeat(40) });
  const { page, context } = await visit(`/s/${session.id}?turn=${id}`, "owner", {
    viewport: { width: 1_280, height: 600 },
  });
  const turn = page.getByRole("article", { name: "Turn 2" });
  await turn.getByText("The second answer.").first().waitFor();
  await until("the turn at the top", async () => {
    const top = await turn.evaluate((card) => card.getBoundingClientRect().top);
    return top > 0 && top < 200;
  });
  await turn.getByRole("link", { name: "Turn 2" }).click();
  await page.getByRole("button", { name: "To the end" }).click();
  await page.getByText("A line.").last().waitFor();
  await expectFit(page);
  await context.close();
});

test("hostile texts are shown as what they are", async () => {
  const hostile = '<script>document.title = "ran"</script><img src=x onerror="document.title=1">';
  const session = await owner.createSession({ title: `Hostile ${hostile}` });
  await owner.run(
    session.path,
    { bash: `echo '${hostile}'` },
    { say: `# A heading\n\n${hostile}\n\n![x](https://example.com/x.png)` },
  );
  const { page, context } = await visit(`/s/${session.id}`, "owner");
  await page.getByRole("heading", { name: "A heading" }).waitFor();
  expect(await page.title()).toContain("Hostile <script>");
  expect(await page.locator("main img, main script").count()).toBe(0);
  await expectFit(page);
  await context.close();
});

test("another member reads who edits a message of Up next, until the editor closes", async () => {
  const { id, path } = await owner.createSession({ title: "Edited" });
  await owner.send(path, script({ sleep: 600_000 }, { say: "Too late." }));
  await owner.send(path, "Then show platform changes.");
  const [mine, theirs] = [await visit(`/s/${id}`, "owner"), await visit(`/s/${id}`, "member")];
  for (const { page } of [mine, theirs])
    await page.getByRole("region", { name: "Up next" }).getByText("Then show platform changes.").waitFor();
  await mine.page.getByRole("button", { name: "Edit", exact: true }).click();
  const note = theirs.page.getByText("is editing");
  await note.waitFor();
  expect(await mine.page.getByText("is editing").count()).toBe(0);
  await mine.page.getByRole("button", { name: "Cancel" }).click();
  await note.waitFor({ state: "detached" });
  for (const { context } of [mine, theirs]) await context.close();
  await owner.delete(path);
});

test("who waits for a setup reads its last lines", async () => {
  const other = createClient({ ...world, projectId: world.siblingProjectId });
  const settings = `/api/projects/${world.siblingProjectId}/settings`;
  await other.put(settings, { setup: ["echo 'added 214 packages'; sleep 600"], services: [], env: {} });
  const { id, path } = await other.createSession({ title: "Set up", content: script({ say: "Up." }) });
  const { page, context } = await visit(`/s/${id}`, "owner");
  await page.getByText("added 214 packages").waitFor();
  await expectFit(page);
  await context.close();
  await other.delete(path);
  await other.put(settings, { setup: [], services: [], env: {} });
});
