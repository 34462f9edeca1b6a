// A review in a real browser: the pull request by keys from its form to its merge, what a phone
// shows of it, and what waits without a connection.
import type { Locator } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { script } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { createProposals } from "../support/proposals.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const { owner, worked, ask, record, endSessions } = createProposals(world);
const visit = openConsole(world);
afterAll(endSessions);

/** One pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
/** Waits until something in it has the focus. */
const focused = (locator: Locator) => locator.locator(":focus").waitFor();

test("a pull request is opened, made ready and shipped by keys, and the focus stays in it", async () => {
  const { id, path } = await worked({ title: "By keys" });
  const { page, context } = await visit(`/s/${id}?panel=info`, "owner");
  const info = page.getByRole("region", { name: "Pull request" });
  await info.getByRole("button", { name: "Open pull request" }).press("Enter");
  const [form, reviewers] = [info.locator("form"), info.locator("form input").first()];
  await expect.poll(() => reviewers.evaluate((node) => node.matches(":focus"))).toBe(true);
  await form.getByRole("list", { name: "People who can review" }).getByRole("button").first().press("Enter");
  await expect.poll(() => reviewers.inputValue()).not.toBe("");
  await focused(form);
  await info.getByLabel("What the description should say").fill("The board was empty. Say that -d is not a flag here.");
  await info.getByRole("button", { name: "Open it" }).press("Enter");
  await form.waitFor({ state: "detached" });
  await focused(info);
  await info.getByRole("button", { name: "Ship" }).waitFor();
  await until("the review", async () => (await record(path)).status === "under-review");
  expect(await record(path)).toMatchObject({ prState: "open" });

  await owner.put(path, { status: "active" });
  await info.getByText("A draft is not shipped.").waitFor();
  await expectFit(page);
  await info.getByRole("button", { name: "Mark as ready" }).press("Enter");
  await info.getByText("A draft is not shipped.").waitFor({ state: "detached" });
  await focused(info);
  expect(await record(path)).toMatchObject({ prState: "open", status: "under-review" });

  await info.getByRole("button", { name: "Ship" }).press("Enter");
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Ship" }).press("Enter");
  await question.waitFor({ state: "detached" });
  await focused(info);
  await context.close();
});

test("what is typed while the form of the pull request is sent stays in it", async () => {
  const { id } = await worked({ title: "Typed meanwhile" });
  const { page, context } = await visit(`/s/${id}?panel=info`, "owner");
  const info = page.getByRole("region", { name: "Pull request" });
  await info.getByRole("button", { name: "Open pull request" }).click();
  const text = info.getByLabel("What the description should say");
  await text.fill("The board was empty.");
  const typed = Promise.withResolvers<void>();
  await page.route("**/jobs/chat", async (route) => {
    await typed.promise;
    await route.continue();
  });
  await info.getByRole("button", { name: "Open it" }).click();
  await info.getByRole("button", { name: "Sending…" }).waitFor();
  await text.fill("The board was empty. It has rows now.");
  typed.resolve();
  await info.getByRole("button", { name: "Sending…" }).waitFor({ state: "detached" });
  expect(await text.inputValue()).toBe("The board was empty. It has rows now.");
  await context.close();
});

test("a file is edited and closed by keys, and the search for files stays while one is read", async () => {
  const { id } = await worked({ title: "A file" });
  const { page, context } = await visit(`/s/${id}?panel=files&file=departures.txt`, "owner");
  const panel = page.getByRole("complementary", { name: "Panel" });
  await panel.getByText("08:14 Utrecht").waitFor();
  await panel.getByRole("button", { name: "Edit" }).press("Enter");
  await panel.locator("textarea:focus").waitFor();
  await panel.getByRole("button", { name: "Close", exact: true }).press("Enter");
  await panel.locator("section:focus").waitFor();
  await panel.getByRole("button", { name: "Back to all files" }).click();
  const find = panel.getByRole("searchbox", { name: "Find a file" });
  await find.fill("depart");
  await panel.getByRole("button", { name: "departures.txt" }).click();
  await panel.getByText("08:14 Utrecht").waitFor();
  await panel.getByRole("button", { name: "Back to all files" }).click();
  expect(await find.inputValue()).toBe("depart");
  await context.close();
});

test("a file that waits for the turn is saved when it ends, also after the panel was closed", async () => {
  const { id, path } = await worked({ title: "After the turn" });
  const sent = await owner.send(path, script({ bash: "sleep 600" }));
  const { page, context } = await visit(`/s/${id}?panel=files&file=departures.txt`, "owner");
  const panel = page.getByRole("complementary", { name: "Panel" });
  await panel.getByRole("button", { name: "Edit" }).click();
  await panel.getByRole("textbox", { name: "Text of departures.txt" }).fill("08:20 Utrecht\n");
  await panel.getByRole("button", { name: "Save after the turn" }).click();
  await panel.getByRole("button", { name: "Saves after the turn" }).waitFor();
  await panel.getByRole("button", { name: "Close the panel" }).click();
  await owner.post(`${path}/jobs/chat/${sent.body.data.chatJobId}/cancel`);
  const read = async () => (await owner.get(`${path}/preview/files/content?path=departures.txt`)).body.data.content;
  await until("the file", async () => (await read()) === "08:20 Utrecht\n");
  await page.getByRole("button", { name: "Files", exact: true }).click();
  await panel.getByRole("button", { name: "departures.txt" }).click();
  await panel.getByText("08:20 Utrecht").waitFor();
  await panel.getByRole("button", { name: "Edit" }).waitFor();
  await context.close();
});

test("on a phone, the newest image and the checks are below the last answer", async () => {
  const { id, path } = await worked({ title: "On a phone" });
  const image = { slug: "shot", title: "Screenshot", kind: "image", path: "shot.png" };
  await owner.run(path, { bash: `printf %s ${png} | base64 -d > shot.png` }, { artifact: image }, { say: "Taken." });
  expect(await ask(path, "/svc:open-pr")).toMatchObject({ status: "completed" });
  const { prNumber } = await record(path);
  const { page, context } = await visit(`/s/${id}`, "owner", {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const glance = page.getByRole("region", { name: "For the review" });
  await glance.getByText(`#${prNumber}`).waitFor();
  await glance.locator("iframe[title='Screenshot']").waitFor();
  const shown = page.getByRole("link", { name: "Open Screenshot" });
  await expect
    .poll(async () => {
      const [box, composer] = [
        await glance.boundingBox(),
        await page.getByRole("region", { name: "Composer" }).boundingBox(),
      ];
      return box !== null && composer !== null && box.y > 0 && box.y + box.height <= composer.y;
    })
    .toBe(true);
  for (const name of ["Changes", "Info"]) {
    const box = await page.getByRole("button", { name: new RegExp(`^${name}`) }).boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
  await shown.click();
  await page.getByRole("tab", { name: "Artifacts", selected: true }).waitFor();
  for (const tab of await page.getByRole("tab").all())
    expect((await tab.boundingBox())?.width).toBeGreaterThanOrEqual(44);
  // A line is chosen by its text, and a button of a finger's size begins the comment.
  await page.getByRole("tab", { name: "Changes" }).tap();
  await page.getByText("08:14 Utrecht").last().tap();
  const begin = page.getByRole("button", { name: "Comment on line 1" });
  expect((await begin.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await begin.tap();
  await page.getByLabel("Comment on departures.txt, line 1").waitFor();
  await context.close();
});

test("without a connection, comments wait, also for a reload, the chat says so, and Changes keeps what it was looking for", async () => {
  const { id, path } = await worked({ title: "In a tunnel" });
  const bash = "for name in a b c d e f g h i; do echo $name > $name.txt; done";
  await owner.run(path, { bash }, { say: "More." });
  const filePath = "a.txt";
  const comment = { filePath, side: "new", startLineNumber: 1, endLineNumber: 1, body: "Why?" };
  expect((await owner.post(`${path}/review-comments`, comment)).status).toBe(201);
  const { page, context } = await visit(`/s/${id}?panel=changes`, "owner");
  const panel = page.getByRole("complementary", { name: "Panel" });
  const find = panel.getByRole("searchbox", { name: "Find a file" });
  await find.fill("a.txt");
  await page.waitForURL("**find=a.txt");
  await panel.getByRole("button", { name: "Open a.txt in Files" }).click();
  await panel.getByRole("button", { name: "Back to all files" }).waitFor();
  await page.goBack();
  await expect.poll(() => find.inputValue()).toBe("a.txt");
  const send = panel.getByRole("button", { name: "Send 1 comment to the agent" });
  await until("the comment to be sent", () => send.isEnabled());
  await context.setOffline(true);
  await panel.getByRole("button", { name: "Resolve" }).click();
  await panel.getByText("The connection broke before the response arrived.").waitFor();
  await send.click();
  await panel.getByRole("button", { name: "Close the panel" }).click();
  await page.getByText("Offline. 1 message waits here.").waitFor();
  await context.setOffline(false);
  await page.getByText("Offline. 1 message waits here.").waitFor({ state: "detached" });
  await until("the message", async () => (await record(path)).latestChatJob.jobNumber === 3);
  await page.getByRole("button", { name: /^Changes/ }).click();
  await panel.locator("[data-number]").last().click();
  await panel.getByLabel(/^Comment on .*, line 1$/).fill("Written in the tunnel.");
  await context.setOffline(true);
  await panel.getByRole("button", { name: "Comment", exact: true }).click();
  await panel.getByText("It is sent when the connection is back.").waitFor();
  await expectFit(page);
  const isKept = `new Promise((done) => {
    indexedDB.open("switchyard-drafts").onsuccess = ({ target }) => {
      const rows = target.result.transaction("outgoing").objectStore("outgoing").count();
      rows.onsuccess = () => done(rows.result === 1);
    };
  })`;
  await until("the comment to be kept", () => page.evaluate<boolean>(isKept));
  await page.close();
  await context.setOffline(false);
  const later = await context.newPage();
  await later.goto(`${world.baseUrl}/s/${id}?panel=changes`);
  await later.getByRole("complementary", { name: "Panel" }).getByText("Written in the tunnel.").waitFor();
  const readComments = async () => (await owner.get(`${path}/review-comments`)).body.data.comments;
  await expect
    .poll(readComments)
    .toMatchObject([{ body: "Why?", resolved: false }, { body: "Written in the tunnel." }]);
  await context.close();
});

test("a pull request that is asked for without a connection waits, and the chat says so", async () => {
  const { id, path } = await worked({ title: "Asked in a tunnel" });
  const { page, context } = await visit(`/s/${id}?panel=info`, "owner");
  const info = page.getByRole("region", { name: "Pull request" });
  await info.getByRole("button", { name: "Open pull request" }).click();
  await info.getByLabel("What the description should say").fill("The board was empty.");
  await context.setOffline(true);
  await info.getByRole("button", { name: "Open it" }).click();
  await page.getByText("Offline. 1 message waits here.").waitFor();
  await context.setOffline(false);
  await page.getByText("Offline. 1 message waits here.").waitFor({ state: "detached" });
  await until("the pull request", async () => (await record(path)).prState === "open");
  await context.close();
});

test("at the limit of sandboxes, Stop makes room, and the preview no longer says that there is none", async () => {
  const { id } = await worked({ title: "At the limit" });
  const { page, context } = await visit("/", "owner");
  let isFull = true;
  await context.route(/\/preview(\/health)?\?/, async (route) => {
    const response = await route.fetch();
    const { data } = await response.json();
    await route.fulfill({ response, json: { data: { ...data, ...(isFull && { sandboxLimitReached: true }) } } });
  });
  const running = { sessionId: "other", title: "Another one", projectName: "Demo app", branch: null };
  const counts = { maxConcurrentSandboxes: 1, maxSandboxesOfOwner: null, sandboxesOfOwner: null };
  await context.route("**/sandbox-limit", (route) =>
    route.fulfill({ json: { data: { ...counts, runningSessions: [running] } } }),
  );
  await context.route("**/stop-sandboxes", (route) => {
    isFull = false;
    return route.fulfill({ json: { data: { sessions: [{ sessionId: "other", stopped: true }] } } });
  });
  await page.goto(`${world.baseUrl}/s/${id}?panel=preview`);
  const limit = page.getByRole("heading", { name: "The limit of running sandboxes is reached" });
  await limit.waitFor();
  await page.getByRole("listitem").filter({ hasText: "Another one" }).getByRole("button", { name: "Stop" }).click();
  await limit.waitFor({ state: "detached" });
  await context.close();
});
