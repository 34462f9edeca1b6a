// The pages of a project in a real browser: the list, the overview, the settings and who sees what.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { copyProject } from "../support/copied-project.ts";
import { startBrowser } from "../support/sign-in-browser.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const { sql } = createInside(world);
const owner = createClient(world);
const visit = openConsole(world);
const mask = "••••••••";

/** Another project of the workspace, which a test may change. */
async function addCopy(name: string): Promise<{ id: string; path: string }> {
  const id = await copyProject(sql, { projectId: world.projectId, userId: world.users.owner.id });
  const path = `/api/projects/${id}`;
  expect((await owner.patch(path, { name })).status).toBe(200);
  return { id, path };
}

test("on a phone, the row of a project's parts fades at its edge until its end is shown", async () => {
  const { page, context } = await visit(`/p/${world.projectId}`, "member", { viewport: { width: 390, height: 844 } });
  const parts = page.getByRole("navigation", { name: "Parts of the project" });
  const readMask = () =>
    page.evaluate("getComputedStyle(document.querySelector('[aria-label=\"Parts of the project\"]')).maskImage");
  await parts.waitFor();
  await expect.poll(readMask).toContain("gradient");
  await parts.getByRole("link", { name: "Settings" }).click();
  await expect.poll(readMask).toBe("none");
  await context.close();
});

test("a member finds a project on the rail, and its sessions, Deploy and preview on its page", async () => {
  const { id, path } = await addCopy("Board of the north");
  const session = await owner.post(`${path}/chat-sessions`, { title: "Of this project" });
  expect(session.status).toBe(201);
  const { page, context } = await visit("/", "member");
  await page.getByRole("navigation").getByRole("link", { name: "Projects" }).click();
  await page.waitForURL("**/projects");
  await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
  const row = page.getByRole("main").getByRole("link", { name: /Board of the north/ });
  await row.waitFor();
  await expectFit(page);
  await row.click();
  await page.waitForURL(`**/p/${id}`);
  await page.getByRole("heading", { level: 1, name: "Board of the north" }).waitFor();
  await page
    .getByRole("region", { name: "Main preview" })
    .getByText(/Asleep|Running|Starting/)
    .first()
    .waitFor();
  await page.getByRole("link", { name: "no turn yet Of this project" }).waitFor();
  await expectFit(page);
  await page.getByRole("link", { name: "All sessions of this project" }).click();
  await page.waitForURL(`**/sessions?project=${id}`);
  await page
    .getByRole("main")
    .getByRole("link", { name: /Of this project/ })
    .click();
  await page.getByRole("main").getByRole("link", { name: "Board of the north" }).click();
  await page.waitForURL(`**/p/${id}`);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("board of");
  await page.getByRole("option", { name: /Board of the north/ }).waitFor();
  await context.close();
});

test("a member reads the variants of a Prototype, copies one onto a session, and deletes it", async () => {
  const { id, path } = await addCopy("With Prototypes");
  const variants = [
    { name: "calm", title: "A calm board", kind: "markdown", body: "Few **colours**." },
    { name: "loud", title: "A loud board", kind: "html", body: "<h1>Departures</h1>" },
  ];
  const made = await owner.post(`${path}/prototypes`, { title: "Two boards", variants });
  expect(made.status).toBe(201);
  const filed = await owner.post(`${path}/chat-sessions`, { title: "Build a board", status: "backlog" });
  const { page, context } = await visit(`/p/${id}`, "member");
  await page.getByRole("link", { name: "Prototypes" }).click();
  const row = page.getByRole("main").getByRole("link", { name: /Two boards/ });
  await row.waitFor();
  await expectFit(page);
  await row.click();
  await page.getByRole("article", { name: "A calm board" }).getByText("colours", { exact: true }).waitFor();
  await page.getByRole("button", { name: "loud" }).click();
  await page.getByRole("article", { name: "A loud board" }).getByText("<h1>Departures</h1>").waitFor();
  await expectFit(page);
  const copying = page.getByRole("region", { name: "Copy onto a session" });
  await copying.getByLabel("What").selectOption("loud");
  await copying.getByRole("button", { name: "Copy", exact: true }).click();
  await copying.getByText("Copied.").waitFor();
  const { artifacts } = (await owner.get(`${path}/chat-sessions/${filed.body.data.session.id}/artifacts`)).body.data;
  expect(artifacts.map(({ title }: { title: string }) => title)).toEqual(["A loud board"]);
  await copying.getByRole("link", { name: "Look at it in the session" }).click();
  await page.waitForURL(`**/s/${filed.body.data.session.id}?panel=artifacts`);
  await page.goBack();
  await page.getByRole("button", { name: "Delete the Prototype" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("There are none yet.").waitFor();
  expect((await owner.get(`${path}/prototypes`)).body.data).toEqual([]);
  await page.goto(`${world.baseUrl}/p/${id}/prototypes?prototype=${made.body.data.id}`);
  await page.getByRole("alert").getByRole("link", { name: "All Prototypes" }).click();
  await page.getByText("There are none yet.").waitFor();
  await context.close();
});

test("settings are saved a section at a time, and a value that was not edited survives", async () => {
  const { id, path } = await addCopy("Set up by hand");
  const begin = { setup: ["npm ci"], services: [], env: { KEPT: "kept-value", REPLACED: "old-value" } };
  expect((await owner.put(`${path}/settings`, begin)).status).toBe(200);
  const { page, context } = await visit(`/p/${id}/settings`, "member");
  const part = (name: string) => page.getByRole("region", { name, exact: true });
  await page.getByRole("button", { name: "Replace REPLACED" }).click();
  expect(await page.content()).not.toContain("-value");
  await page.getByLabel("Value of REPLACED").fill("new-value");
  await part("Variables").getByRole("button", { name: "Add a variable" }).click();
  await page.getByLabel("Value of the new variable").waitFor();
  await page.keyboard.type("ADDED");
  await page.getByLabel("Value of ADDED").fill("added-value");
  await part("Setup").getByLabel("Command 1", { exact: true }).fill("npm ci --typed");
  await page.getByLabel("Name", { exact: true }).fill("Typed only");
  await page.getByRole("link", { name: "Network" }).click();
  await part("Network").waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("Value of ADDED").waitFor();
  await expect.poll(() => page.getByLabel("Value of REPLACED").inputValue()).toBe("new-value");
  await expect.poll(() => page.getByLabel("Value of ADDED").inputValue()).toBe("added-value");
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("-value");
  await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("Typed only");
  await part("Setup").getByRole("button", { name: "Discard" }).click();
  await expect.poll(() => part("Setup").getByLabel("Command 1", { exact: true }).inputValue()).toBe("npm ci");
  await page.getByLabel("Value of ADDED").press("Enter");
  await part("Variables").getByText("Saved").waitFor();
  await part("Variables").locator("button:focus", { hasText: "Replace ADDED" }).waitFor();
  const env = { ADDED: mask, KEPT: mask, REPLACED: mask };
  expect((await owner.get(`${path}/settings`)).body.data).toMatchObject({ setup: ["npm ci"], env });

  await part("Services").getByRole("button", { name: "Add a service" }).click();
  await page.keyboard.type("web");
  await part("Services").getByLabel("Command").fill("npm start");
  await part("Services").getByRole("button", { name: "Add a port" }).click();
  await page.keyboard.type("3000");
  await part("Services").getByRole("button", { name: "Save" }).click();
  await part("Services").locator("[role=status]:focus", { hasText: "Saved" }).waitFor();
  await part("Setup").getByRole("button", { name: "Add a command" }).click();
  await part("Setup").locator("textarea:focus").waitFor();
  const services = [{ name: "web", command: "npm start", endpoints: [{ port: 3_000, public: true }] }];
  expect((await owner.get(`${path}/settings`)).body.data).toEqual({ setup: ["npm ci"], services, env });

  await page.getByLabel("Name", { exact: true }).fill("Set up by a member");
  await part("Project").getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Set up by a member" }).waitFor();
  await expectFit(page);
  await context.close();
});

test("what somebody else saved meanwhile is shown, and what was typed stays", async () => {
  const { id, path } = await addCopy("Changed by two");
  const begin = { setup: ["npm ci"], services: [], env: {} };
  await owner.put(`${path}/settings`, begin);
  const { page, context } = await visit(`/p/${id}/settings`, "owner");
  const setup = page.getByRole("region", { name: "Setup", exact: true });
  await setup.getByLabel("Command 1", { exact: true }).fill("npm ci --mine");
  await owner.put(`${path}/settings`, { ...begin, setup: ["npm ci --theirs"], env: { A: "theirs" } });
  await setup.getByRole("button", { name: "Save", exact: true }).click();
  await setup.getByRole("alert").getByText("npm ci --theirs").waitFor();
  await expect.poll(() => setup.getByLabel("Command 1", { exact: true }).inputValue()).toBe("npm ci --mine");
  await expectFit(page);
  await setup.getByRole("button", { name: "Save mine instead" }).click();
  await setup.getByText("Saved").waitFor();
  const { data } = (await owner.get(`${path}/settings`)).body;
  expect(data).toEqual({ setup: ["npm ci --mine"], services: [], env: { A: mask } });
  await owner.put(`${path}/settings`, { ...begin, setup: ["npm ci --later"] });
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  await expect.poll(() => setup.getByLabel("Command 1", { exact: true }).inputValue()).toBe("npm ci --later");
  expect(await setup.getByText("Saved").count()).toBe(0);

  const names = page.getByRole("region", { name: "Project", exact: true });
  const name = names.getByLabel("Name", { exact: true });
  await name.fill("Named by me");
  await owner.patch(path, { name: "Named by them" });
  await names.getByRole("button", { name: "Save", exact: true }).click();
  await names.getByRole("alert").getByText("Name: Named by them").waitFor();
  await expect.poll(() => name.inputValue()).toBe("Named by me");
  await expectFit(page);
  await names.getByRole("button", { name: "Save mine instead" }).click();
  await names.getByText("Saved").waitFor();
  expect((await owner.get(path)).body.data).toMatchObject({ name: "Named by me" });
  await owner.patch(path, { name: "Named later" });
  await expect.poll(() => name.inputValue()).toBe("Named later");
  expect(await names.getByText("Saved").count()).toBe(0);
  await context.close();
});

test("a project is added, and deleted by its name", async () => {
  const { cookie } = await signIn(world, "admin");
  expect((await startBrowser(world, cookie).signIn("adam-admin")).status).toBe(302);
  const { page, context } = await visit("/projects", "admin");
  await page.getByRole("button", { name: "Add a project" }).click();
  await page.getByLabel("Repository").fill("acme/nowhere");
  await page.getByRole("button", { name: "Add the project" }).click();
  await page
    .getByRole("alert")
    .getByText(/no repository acme\/nowhere/)
    .waitFor();
  await expectFit(page);
  await page.getByLabel("Repository").fill("https://github.com/acme/demo-app.git");
  await page.getByRole("alert").waitFor({ state: "detached" });
  await page.getByLabel("Name", { exact: true }).fill("Added in the console");
  await page.getByRole("button", { name: "Add the project" }).click();
  await page.waitForURL("**/p/*");
  await page.getByRole("heading", { level: 1, name: "Added in the console" }).waitFor();
  await page.getByText("There is no main sandbox yet.").waitFor();
  await page.getByRole("main").getByRole("link", { name: "New session" }).click();
  await page
    .getByLabel("Project")
    .locator("option:checked", { hasText: "Added in the console" })
    .waitFor({ state: "attached" });
  await page.goBack();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Delete the project" }).click();
  const dialog = page.getByRole("dialog");
  const button = dialog.getByRole("button", { name: "Delete" });
  await dialog.getByLabel("Type the name of the project").fill("Added");
  await expect.poll(() => button.isDisabled()).toBe(true);
  await expectFit(page);
  await dialog.getByLabel("Type the name of the project").fill("Added in the console");
  await button.click();
  await page.waitForURL("**/projects");
  await page.getByRole("link", { name: /Added in the console/ }).waitFor({ state: "detached" });
  await context.close();
});

test("an outsider gets a sentence and no data", async () => {
  const { id } = await addCopy("Kept inside");
  for (const part of ["", "/settings"]) {
    const { page, context } = await visit(`/p/${id}${part}`, "outsider");
    await page.getByRole("alert").getByText("You are not a member of this workspace.").waitFor();
    expect(await page.content()).not.toContain("Kept inside");
    await expectFit(page);
    await context.close();
  }
});
