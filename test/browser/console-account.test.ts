// The account pages in a real browser: subscriptions, skills and plugins.
import { afterEach, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";

const world = apiWorld();
const member = createClient(world, "member");
const visit = openConsole(world);
const subscriptions = "/api/user/subscriptions";

const listLabels = async (provider: string): Promise<string[]> =>
  ((await member.get(subscriptions)).body.data[provider]?.logins ?? []).map(({ label }: { label: string }) => label);

afterEach(async () => {
  for (const provider of ["anthropic", "openai", "zai", "kimi"]) await member.delete(`${subscriptions}/${provider}`);
  await member.patch(subscriptions, { defaultModel: null });
});

test("keys are added, ordered by buttons and keys, replaced and removed; a refused key stays typed", async () => {
  const { page, context } = await visit("/account", "member");
  await page
    .getByRole("navigation", { name: "Parts of the account" })
    .getByRole("link", { name: "Subscriptions" })
    .click();
  const card = page.getByRole("region", { name: "Z.ai" });
  const field = card.getByLabel("Key of Z.ai");
  await field.fill("sk-practice-refused-1111");
  await card.getByRole("button", { name: "Add the key" }).click();
  await card.getByRole("alert").getByText("Z.ai refuses this key").waitFor();
  await expect.poll(() => field.inputValue()).toBe("sk-practice-refused-1111");
  await expectFit(page);
  for (const key of ["sk-practice-good-aaaa", "sk-practice-good-bbbb", "sk-practice-good-cccc"]) {
    await field.fill(key);
    await card.getByRole("button", { name: "Add the key" }).click();
    await card.getByText(`…${key.slice(-4)}`).waitFor();
  }
  await card.getByText("25 %").nth(2).waitFor();
  await expectFit(page);

  const rows = card.getByRole("listitem");
  await card.getByRole("button", { name: "Move cccc up" }).click();
  await rows.nth(1).getByText("…cccc").waitFor();
  await expect.poll(() => listLabels("zai")).toEqual(["aaaa", "cccc", "bbbb"]);
  await page.keyboard.press("Alt+ArrowUp");
  await rows.nth(0).getByText("…cccc").waitFor();
  await rows.nth(0).getByText("in use").waitFor();
  await expect.poll(() => listLabels("zai")).toEqual(["cccc", "aaaa", "bbbb"]);

  await card.getByRole("button", { name: "Replace aaaa" }).click();
  await page.keyboard.type("sk-practice-good-dddd");
  await page.keyboard.press("Enter");
  await rows.nth(1).getByText("…dddd").waitFor();
  expect(await listLabels("zai")).toEqual(["cccc", "dddd", "bbbb"]);
  await card.getByRole("button", { name: "Remove cccc" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await card.getByText("…cccc").waitFor({ state: "detached" });
  await card.getByRole("button", { name: "Remove all of Z.ai" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove all" }).click();
  await card.getByText("Nothing is connected.").waitFor();
  expect(await listLabels("zai")).toEqual([]);
  await context.close();
});

test("with five keys there is room for no other; a refused order is taken back", async () => {
  for (const key of ["1111", "2222", "3333", "4444", "5555"])
    await member.put(`${subscriptions}/kimi`, { apiKey: `sk-practice-${key === "1111" ? "limit" : "good"}-${key}` });
  const { page, context } = await visit("/account/subscriptions", "member");
  const card = page.getByRole("region", { name: "Kimi" });
  await card.getByText("5 keys are the most.").waitFor();
  expect(await card.getByLabel("Key of Kimi").count()).toBe(0);
  await card.getByRole("listitem").nth(0).getByText("at its limit, free again").waitFor();
  await card.getByRole("listitem").nth(1).getByText("in use", { exact: true }).waitFor();
  await page.route("**/logins/order", (route) =>
    route.fulfill({ status: 409, json: { error: "The logins have changed.", code: "CONFLICT" } }),
  );
  await card.getByRole("button", { name: "Move 5555 up" }).click();
  await card.getByRole("alert").getByText("The logins have changed.").waitFor();
  await card.getByRole("listitem").nth(4).getByText("…5555").waitFor();
  await expectFit(page);
  await context.close();
});

test("an account signs in with the code of its page, and another by a code for a device", async () => {
  const { page, context } = await visit("/account/subscriptions", "member");
  const claude = page.getByRole("region", { name: "Anthropic" });
  await claude.getByRole("button", { name: "Sign in at Anthropic" }).click();
  const opening = context.waitForEvent("page");
  await claude.getByRole("link", { name: "Open the sign-in page" }).click();
  const provider = await opening;
  await provider.getByLabel(/Your address/).fill("mia@example.com");
  await provider.getByRole("button", { name: "Approve" }).click();
  const code = (await provider.locator("code").textContent()) ?? "";
  const field = claude.getByLabel("Code of the sign-in page");
  await field.fill("https://elsewhere.example/?code=1&state=2");
  await claude.getByRole("button", { name: "Connect" }).click();
  await claude.getByRole("alert").waitFor();
  await expect.poll(() => field.inputValue()).toBe("https://elsewhere.example/?code=1&state=2");
  await field.fill(code);
  await expectFit(page);
  await claude.getByRole("button", { name: "Connect" }).click();
  await claude.getByText("The account is connected.").waitFor();
  await claude.locator("bdi", { hasText: "mia@example.com" }).waitFor();
  await claude.getByText("7 days", { exact: true }).waitFor();

  const openai = page.getByRole("region", { name: "OpenAI" });
  for (const [answer, said] of [
    ["Deny", "The sign-in was denied or has expired."],
    ["Approve", "The account is connected."],
  ] as const) {
    await openai.getByRole("button", { name: "Sign in at OpenAI" }).click();
    const userCode = (await openai.locator("code").textContent()) ?? "";
    await expectFit(page);
    const next = context.waitForEvent("page");
    await openai.getByRole("link", { name: "Open the sign-in page" }).click();
    const device = await next;
    await device.getByLabel("Code").fill(userCode);
    await device.getByLabel(/Your address/).fill("mia@example.org");
    await device.getByRole("button", { name: answer }).click();
    await openai.getByText(said).waitFor();
    await device.close();
  }
  await openai.locator("bdi", { hasText: "mia@example.org" }).waitFor();
  expect([await listLabels("anthropic"), await listLabels("openai")]).toEqual([
    ["mia@example.com"],
    ["mia@example.org"],
  ]);
  await expectFit(page);
  await context.close();
});

test("a person chooses their default model, and sees nothing of others' subscriptions", async () => {
  await member.put(`${subscriptions}/kimi`, { apiKey: "sk-practice-good-9999" });
  const { page, context } = await visit("/account/subscriptions", "outsider");
  await page.getByRole("region", { name: "Kimi" }).getByText("Nothing is connected.").waitFor();
  expect(await page.content()).not.toContain("9999");
  const select = page.getByLabel("Your default model");
  // After the choice the profile is read again, in vain. The page stays.
  await page.route("**/api/user/profile", (route) =>
    route.fulfill({ status: 400, json: { error: "Not now.", code: "BAD_REQUEST" } }),
  );
  await select.selectOption("anthropic:haiku__high");
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.unroute("**/api/user/profile");
  await page.reload();
  await expect.poll(() => select.inputValue()).toBe("anthropic:haiku__high");
  await select.selectOption("");
  await page.getByText("Saved", { exact: true }).waitFor();
  expect((await createClient(world, "outsider").get(subscriptions)).body.data.defaultModel).toBeNull();
  await expectFit(page);
  await context.close();
});

test("a skill is written, refused, saved, changed, switched and deleted; what is typed survives a reload", async () => {
  const { page, context } = await visit("/account/skills", "member");
  await page.getByText("You have no skills.").waitFor();
  await page.getByRole("button", { name: "Write a skill" }).click();
  const text = page.getByLabel("Text of SKILL.md");
  await text.fill("---\nname: Not Kebab\ndescription: Counts.\n---\n\nCount the lines.\n");
  await page.getByRole("button", { name: "Save the skill" }).click();
  await page.getByRole("alert").getByText("SKILL.md has a mistake: its").waitFor();
  await expectFit(page);
  await page.reload();
  await page.getByRole("button", { name: "Write a skill" }).click();
  await expect.poll(() => text.inputValue()).toContain("name: Not Kebab");
  // What is typed while a file is read from the disk stays.
  await page.evaluate(`Blob.prototype.text = function () {
    return new Promise((resolve) => { window.finishRead = () => resolve("A table."); });
  }`);
  const file = { name: "table.md", mimeType: "text/markdown", buffer: Buffer.from("A table.") };
  await page.getByLabel("Files from disk").setInputFiles(file);
  await page.waitForFunction("window.finishRead");
  await text.fill("---\nname: count-lines\ndescription: Counts the lines.\n---\n\nCount the lines.\n");
  await page.evaluate("finishRead()");
  await page.getByLabel("Text of table.md").waitFor();
  await page.getByRole("button", { name: "Remove the file" }).click();
  await page.getByRole("button", { name: "Add a file" }).click();
  await page.getByLabel("Path of the file").fill("scripts/count.sh");
  await page.getByLabel("Text of scripts/count.sh").fill("wc -l\n");
  await page.getByRole("button", { name: "Save the skill" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "/count-lines" });
  await row.getByText("2 files").waitFor();
  const [made] = (await member.get("/api/user/skills")).body.data;
  expect(made).toMatchObject({ name: "count-lines", description: "Counts the lines.", enabled: true, fileCount: 2 });
  await expectFit(page);

  await row.getByRole("switch", { name: "count-lines is on" }).click();
  await expect.poll(async () => (await member.get("/api/user/skills")).body.data[0].enabled).toBe(false);
  await row.getByRole("button", { name: "Edit count-lines" }).click();
  await row.getByRole("button", { name: "scripts/count.sh" }).click();
  // A page that comes back into sight reads the skill again. In vain, the editor stays.
  const editor = await row.getByLabel("Text of scripts/count.sh").elementHandle();
  await page.route("**/api/user/skills/*", (route) =>
    route.fulfill({ status: 400, json: { error: "Not now.", code: "BAD_REQUEST" } }),
  );
  await Promise.all([
    page.waitForResponse("**/api/user/skills/*"),
    page.evaluate("dispatchEvent(new Event('visibilitychange'))"),
  ]);
  expect(await editor?.evaluate((node) => node.isConnected)).toBe(true);
  await page.unroute("**/api/user/skills/*");
  await row.getByRole("button", { name: "Remove the file" }).click();
  await expectFit(page);
  await row.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: "Save the changes" }).click();
  await row.getByText("1 file", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Delete count-lines" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("You have no skills.").waitFor();
  expect((await member.get("/api/user/skills")).body.data).toEqual([]);
  await context.close();
});

/** A plugin as the service lists it. */
const createPlugin = (name: string, provider: string, skills: string[]) => ({
  ...{ id: `${name}@offered`, name, provider, marketplace: "offered", description: `Reads the ${name} of a line.` },
  ...{ author: "Olive", version: "1.2.0", enabled: false, workspaces: [] },
  components: { skills, commands: [], agents: [], hooks: ["PreToolUse"], lspServers: [] },
  lastInstallFailure: null as object | null,
});

// The sweep of a world deletes the plugins of marketplaces that no operator has named, so the list
// is made here. `test/api` has the routes.
test("a plugin is found by its words, read, and switched on and off", async () => {
  const plugins = [
    createPlugin("timetable", "anthropic", ["stops", "lines"]),
    createPlugin("board", "openai", ["show"]),
  ];
  const [timetable] = plugins;
  const { page, context } = await visit("/account", "member");
  await page.route("**/api/user/plugins*", (route) => route.fulfill({ json: { data: plugins } }));
  await page.route("**/api/user/plugins/*", (route) => {
    Object.assign(timetable ?? {}, route.request().postDataJSON(), { lastInstallFailure: null });
    return route.fulfill({ json: { data: timetable } });
  });
  await page.getByRole("link", { name: "Plugins" }).click();
  const on = page.getByRole("switch", { name: "timetable is on" });
  await on.waitFor();
  await page
    .getByRole("region", { name: "For sessions on models of OpenAI" })
    .getByText("board", { exact: true })
    .waitFor();
  await expectFit(page);
  await page.getByLabel("Search plugins").fill("no such plugin");
  await page.getByText("No plugin has these words.").waitFor();
  await page.getByLabel("Search plugins").fill("timetable");
  await page.getByText("2 skills, 1 hook").click();
  await page.getByText("stops, lines").waitFor();
  await on.press("Space");
  await expect.poll(() => on.isChecked()).toBe(true);
  expect(timetable?.enabled).toBe(true);
  Object.assign(timetable ?? {}, {
    lastInstallFailure: {
      message: "The sandbox lacks the command gopls.",
      failedAt: new Date().toISOString(),
      workspaceId: world.workspaceId,
      sessionId: "none",
    },
  });
  await page.reload();
  await page.getByText("The sandbox lacks the command gopls.").waitFor();
  await expectFit(page);
  await on.click();
  await page.getByText("The sandbox lacks the command gopls.").waitFor({ state: "detached" });
  expect(timetable?.enabled).toBe(false);
  await context.close();
});

test("a person chooses light or dark, which is there before the scripts of the page", async () => {
  const { page, context } = await visit("/account", "member", { colorScheme: "light" });
  const readGround = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  const appearance = page.getByLabel("Appearance");
  await appearance.waitFor();
  const light = await readGround();
  await appearance.selectOption("Dark");
  const dark = await readGround();
  expect(dark).not.toBe(light);
  await expectFit(page);
  const other = await context.newPage();
  // Without the console's modules, the page is as it is first painted.
  await other.route("**/_sy/*.js", (route) => route.abort());
  await other.goto(`${world.baseUrl}/account`);
  await expect.poll(() => other.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(dark);
  await other.close();
  await page.emulateMedia({ colorScheme: "dark" });
  await appearance.selectOption("Light");
  expect(await readGround()).toBe(light);
  await expectFit(page);
  await appearance.selectOption("As the system");
  for (const [colorScheme, ground] of [
    ["dark", dark],
    ["light", light],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await readGround()).toBe(ground);
  }
  await context.close();
});
