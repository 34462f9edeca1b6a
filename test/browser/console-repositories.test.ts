// The repository of a new project in a real browser: chosen from a list, and every state in which
// there is none, with the way on.
import type { Page, Route } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { startBrowser } from "../support/sign-in-browser.ts";

const world = apiWorld();
const visit = openConsole(world);
const list = "**/api/user/code-host/repositories?*";
const form = "/projects?add=true";

async function call(method: string, path: string, body?: object) {
  return await (await signIn(world, "outsider")).call(method, path, body);
}
async function connect(): Promise<void> {
  const { cookie } = await signIn(world, "outsider");
  expect((await startBrowser(world, cookie).signIn("otto-outsider")).status).toBe(302);
}
const disconnect = async () => expect((await call("POST", "/api/auth/github/disconnect")).status).toBe(204);
beforeEach(connect);
afterAll(disconnect);

const field = (page: Page) => page.getByRole("combobox", { name: "Repository" });
const option = (page: Page, name: string) => page.getByRole("option", { name });

const board = {
  ...{ repository: "acme/board", defaultBranch: "trunk", isPrivate: true, mayPush: true },
  ...{ pushedAt: "2026-01-31T09:30:00.000Z", projectId: null },
};
const named = (repository: string) => ({ ...board, repository });
const installUrl = `${world.forgeUrl}/apps/switchyard/installations/new`;
const answerWith = (repositories: object[], total = repositories.length) => ({
  status: 200,
  json: { data: { repositories, total, installUrl } },
});

test("a repository is found, chosen with the keyboard and becomes a project", async () => {
  const { page, context } = await visit(form, "outsider");
  await page.getByText("to choose from.").waitFor();
  await field(page).press("ArrowDown");
  await option(page, "acme/demo-app").waitFor();
  await expectFit(page);
  await field(page).press("Escape");
  await page.getByRole("listbox").waitFor({ state: "hidden" });
  await page.getByRole("dialog", { name: "Add a project" }).waitFor();

  await field(page).fill("demo-a");
  await page.getByText("1 repository found.").waitFor();
  await field(page).press("ArrowDown");
  await page.getByRole("option", { selected: true, name: "acme/demo-app" }).waitFor();
  const active = await field(page).getAttribute("aria-activedescendant");
  expect(await option(page, "acme/demo-app").getAttribute("id")).toBe(active);
  await field(page).press("Enter");
  await page.getByRole("listbox").waitFor({ state: "hidden" });
  expect(await field(page).inputValue()).toBe("acme/demo-app");
  expect(await page.getByLabel("Target Branch").getAttribute("placeholder")).toBe("main");
  await page.getByLabel("Name", { exact: true }).fill("Chosen from the list");
  await page.getByRole("button", { name: "Add the project" }).click();
  await page.getByRole("heading", { level: 1, name: "Chosen from the list" }).waitFor();
  const { pathname } = new URL(page.url());
  expect((await call("DELETE", `/api/projects/${pathname.split("/").at(-1)}`)).status).toBe(204);
  await context.close();
});

test("a repository that the person may only read is not chosen, and one with a project is", async () => {
  const { page, context } = await visit("/", "outsider");
  const choices = [
    { ...board, mayPush: false },
    { ...named("acme/shared"), projectId: crypto.randomUUID() },
  ];
  await context.route(list, (route) => route.fulfill(answerWith(choices)));
  await page.goto(world.baseUrl + form);
  await page.getByText("2 repositories to choose from.").waitFor();
  await field(page).click();
  await option(page, "acme/board").getByText("you may not push").waitFor();
  await option(page, "acme/board").click({ force: true });
  await option(page, "acme/shared").getByText("already a project").click();
  await page.getByRole("listbox").waitFor({ state: "hidden" });
  expect(await field(page).inputValue()).toBe("acme/shared");
  await context.close();
});

test("the code host is searched for what a long list lacks", async () => {
  const { page, context } = await visit("/", "outsider");
  const newest = Array.from({ length: 50 }, (_, number) => named(`acme/r${number}`));
  await context.route(list, (route) => {
    const search = new URL(route.request().url()).searchParams.get("search");
    return route.fulfill(answerWith(search === "" ? newest : [named(`old/${search}`)], 312));
  });
  await page.goto(world.baseUrl + form);
  await page.getByText("The newest 50 of 312. Type to find others.").waitFor();
  await field(page).fill("ancient");
  await option(page, "old/ancient").click();
  expect(await field(page).inputValue()).toBe("old/ancient");
  await context.close();
});

test("without an account at the code host, the form leads to its connection and back", async () => {
  await disconnect();
  const { page, context } = await visit(form, "outsider");
  const link = page.getByRole("link", { name: "Connect your account" });
  const query = new URLSearchParams({ returnTo: form });
  expect(await link.getAttribute("href")).toBe(`/api/auth/github/connect?${query}`);
  await expectFit(page);
  await field(page).fill("acme/typed");
  await page.getByRole("button", { name: "Add the project", disabled: false }).waitFor();
  await context.close();
});

const limited = "The code host accepts no more requests from the service for now. Try again in 9 min.";

test.each<[string, Parameters<Route["fulfill"]>[0], (page: Page) => Promise<void>]>([
  [
    "where the app is installed nowhere leads to its installation",
    answerWith([]),
    async (page) => {
      const link = page.getByRole("link", { name: "Install the app" });
      expect(await link.getAttribute("href")).toBe(installUrl);
      // Who comes back has the focus on a link that leaves when there is something to choose from.
      await link.focus();
      await page.unroute(list);
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
      await page.getByText("is not installed for any repository").waitFor({ state: "detached" });
      await expect.poll(() => page.evaluate("document.activeElement.role")).toBe("combobox");
    },
  ],
  [
    "that the code host no longer accepts leads to a new connection",
    { status: 403, json: { code: "FORBIDDEN", error: "The code host no longer accepts it." } },
    async (page) => await page.getByRole("link", { name: "Connect it again" }).waitFor(),
  ],
  [
    "that reached a limit of the code host says how long it lasts, and is tried again",
    { status: 503, headers: { "retry-after": "540" }, json: { code: "SERVICE_UNAVAILABLE", error: limited } },
    async (page) => {
      await page.getByRole("alert").getByText(limited).waitFor();
      await page.unroute(list);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("to choose from.").waitFor();
    },
  ],
  [
    "without an app leaves the name to be written",
    { status: 400, json: { code: "BAD_REQUEST", error: "It lists none." } },
    async (page) => {
      await page.getByText("As the code host names it").waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    },
  ],
])("a connection %s", async (_, answer, see) => {
  const { page, context } = await visit("/", "outsider");
  let release = (): void => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(list, async (route) => {
    await held;
    await route.fulfill(answer);
  });
  await page.goto(world.baseUrl + form);
  await page.getByText("Looking for your repositories").waitFor();
  release();
  await page.getByText("Looking for your repositories").waitFor({ state: "detached" });
  await expectFit(page);
  await see(page);
  await context.close();
});
