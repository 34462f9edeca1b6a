// What a person types into a form stays until it is saved or discarded: over another page, and over
// a reload.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { madeWorkspaces } from "../support/made-workspaces.ts";

const world = apiWorld();
const owner = createClient(world);
const visit = openConsole(world);
const { makeWorkspace } = madeWorkspaces(world);

/** A field by its label, which a hint may follow. */
const field = (page: Page, label: string) => page.getByLabel(new RegExp(`^${label}`)).first();

test("what is typed into a form survives another page and a reload, until it is saved or discarded", async () => {
  const { at } = await makeWorkspace("Typing");
  const other = await makeWorkspace("Quiet");
  const session = await owner.createSession({ title: "Typed" });
  const forms: [path: string, texts: Record<string, string>][] = [
    [at, { Name: "Typing & co", "Short name": "typing-and-co" }],
    [`${at}/members`, { "Email address": "someone@example.com" }],
    [`${at}/keys`, { "Name of the key": "Chat" }],
    [`${at}/webhooks`, { Address: "https://hooks.example.com/a", Name: "A program" }],
    [`${at}/usage`, { "US dollars per month": "12.50" }],
    ["/account", { Name: "Olive", "Name of a new workspace": "Next", "Name of the key": "A script" }],
    [
      `/s/${session.id}?panel=info`,
      { Title: "Typed again", "Target Branch": "next", "Spend limit in US dollars": "3" },
    ],
  ];
  const { page, context } = await visit(at, "owner");
  const rail = page.getByRole("navigation");
  for (const [path, texts] of forms) {
    await page.goto(world.baseUrl + path);
    if (path.endsWith("/webhooks")) await page.getByRole("button", { name: "New webhook" }).click();
    for (const [label, text] of Object.entries(texts)) await field(page, label).fill(text);
    await rail.getByRole("link", { name: "Crons" }).click();
    await page.waitForURL("**/crons**");
    await page.goBack();
    const read = () => Promise.all(Object.keys(texts).map((label) => field(page, label).inputValue()));
    expect.soft(await read(), path).toEqual(Object.values(texts));
    await page.reload();
    expect.soft(await read(), path).toEqual(Object.values(texts));
  }

  await page.goto(`${world.baseUrl}${at}`);
  await page.getByRole("button", { name: "Discard" }).click();
  await page.goto(`${world.baseUrl}${other.at}/keys`);
  expect(await field(page, "Name of the key").inputValue()).toBe("");
  await page.goto(`${world.baseUrl}${at}/keys`);
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByRole("button", { name: "Revoke Chat" }).waitFor();
  await page.reload();
  expect(await field(page, "Name of the key").inputValue()).toBe("");
  await page.goto(`${world.baseUrl}${at}`);
  expect(await field(page, "Name").inputValue()).toBe("Typing");
  await context.close();
});

test("a form that is back at what is saved keeps nothing", async () => {
  const session = await owner.createSession({ title: "Back" });
  const { page, context } = await visit(`/p/${world.projectId}/settings`, "owner");
  const countKept = () =>
    page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("kept:")).length);
  const name = page.getByLabel("Name", { exact: true }).first();
  const saved = await name.inputValue();
  await name.fill(`${saved} --typed`);
  expect(await countKept()).toBe(1);
  await name.fill(saved);
  expect(await countKept()).toBe(0);
  await page.goto(`${world.baseUrl}/s/${session.id}?panel=info`);
  await page.getByRole("button", { name: "Open pull request" }).click();
  const draft = page.getByRole("checkbox", { name: "As a draft" });
  await draft.check();
  expect(await countKept()).toBe(1);
  await draft.uncheck();
  expect(await countKept()).toBe(0);
  await context.close();
});

test("what is typed into a form while it is saved stays, until it is discarded", async () => {
  const { at } = await makeWorkspace("Before");
  const { page, context } = await visit(at, "owner");
  const name = field(page, "Name");
  await name.fill("Saved");
  const typed = Promise.withResolvers<void>();
  await page.route(/\/api\/organizations\/[^/]+$/, async (route) => {
    if (route.request().method() === "PATCH") await typed.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Save" }).click();
  await name.fill("Typed meanwhile");
  typed.resolve();
  await page.getByText("Saved", { exact: true }).first().waitFor();
  expect(await name.inputValue()).toBe("Typed meanwhile");
  await page.getByRole("button", { name: "Discard" }).click();
  expect(await name.inputValue()).toBe("Saved");

  const emptied: [part: string, label: string, sent: string, button: string, made: string][] = [
    ["members", "Email address", "one@example.com", "Invite", "Revoke the invitation of one@example.com"],
    ["keys", "Name of the key", "One", "Make a key", "Revoke One"],
  ];
  let isTyped = Promise.withResolvers<void>();
  await page.route("**/api/organizations/**", async (route) => {
    if (route.request().method() === "POST") await isTyped.promise;
    await route.continue();
  });
  for (const [part, label, sent, button, made] of emptied) {
    isTyped = Promise.withResolvers();
    await page.goto(`${world.baseUrl}${at}/${part}`);
    await field(page, label).fill(sent);
    const submit = page.getByRole("button", { name: button });
    await submit.click();
    await field(page, label).fill(`another-${sent}`);
    isTyped.resolve();
    await page.getByRole("button", { name: made }).waitFor();
    await expect.poll(() => submit.isEnabled()).toBe(true);
    expect.soft(await field(page, label).inputValue(), part).toBe(`another-${sent}`);
  }

  // "Saved" stays away from a text that is not saved.
  const notSaved: [path: string, calls: RegExp, label: string, sent: string, typed: string, button: RegExp][] = [
    ["/account", /\/api\/user\/profile$/, "Name", "Olive", "Olive O.", /^Sav/],
    [`${at}/usage`, /\/api\/organizations\/[^/]+$/, "US dollars per month", "20", "30", /limit$|^Saving/],
  ];
  for (const [path, calls, label, sent, typed, button] of notSaved) {
    isTyped = Promise.withResolvers();
    await page.route(calls, async (route) => {
      if (route.request().method() !== "GET") await isTyped.promise;
      // Other tests read the name of the owner.
      if (path === "/account" && route.request().method() === "PUT") await route.fulfill({ status: 204 });
      else await route.continue();
    });
    await page.goto(world.baseUrl + path);
    const form = page.locator("form").filter({ has: page.getByLabel(label, { exact: true }) });
    await form.getByLabel(label, { exact: true }).fill(sent);
    await form.getByRole("button", { name: button }).first().click();
    await form.getByLabel(label, { exact: true }).fill(typed);
    await form.getByRole("button", { name: "Saving…" }).waitFor();
    isTyped.resolve();
    await form.getByRole("button", { name: "Saving…" }).waitFor({ state: "detached" });
    expect
      .soft([path, await form.getByRole("status").allTextContents()])
      .toEqual([path, expect.not.arrayContaining(["Saved"])]);
    expect.soft(await form.getByLabel(label, { exact: true }).inputValue(), path).toBe(typed);
  }

  // An editor that closes when it has saved takes nothing that it would lose.
  isTyped = Promise.withResolvers();
  await page.goto(`${world.baseUrl}${at}/skills?skill=new`);
  const skill = page.getByLabel("Text of SKILL.md");
  await skill.fill("---\nname: kept\ndescription: Keeps.\n---\n\nKeep it.\n");
  await page.getByRole("button", { name: "Save the skill" }).click();
  await expect.poll(() => skill.isEditable()).toBe(false);
  isTyped.resolve();
  await page.getByRole("link", { name: "/kept" }).waitFor();
  await context.close();
});

describe("who writes in a session that somebody deletes can copy what they wrote", () => {
  async function expectKept(page: Page, heading: string): Promise<void> {
    await page.getByRole("heading", { name: heading }).waitFor();
    const kept = page.getByRole("region", { name: "What you were writing" });
    await kept.getByText("Sort the departures.").waitFor();
    await kept.getByRole("button", { name: "Copy" }).waitFor();
    await expectFit(page);
  }

  test("while the page has its line", async () => {
    const session = await owner.createSession({ title: "Deleted meanwhile" });
    const { page, context } = await visit("/", "owner");
    const line = page.waitForResponse(`**${session.path}/events**`);
    await page.goto(`${world.baseUrl}/s/${session.id}`);
    await field(page, "Message to the agent").fill("Sort the departures.");
    await line;
    await owner.call("DELETE", session.path);
    await expectKept(page, "This session was deleted");
    await context.close();
  });

  test("before its line opens", async () => {
    const session = await owner.createSession({ title: "Deleted early" });
    const { page, context } = await visit("/", "owner");
    const deleted = Promise.withResolvers<void>();
    await page.route(`**${session.path}/events**`, async (route) => {
      await deleted.promise;
      await route.continue();
    });
    await page.goto(`${world.baseUrl}/s/${session.id}`);
    await field(page, "Message to the agent").fill("Sort the departures.");
    await page.locator("main[aria-busy=false]").waitFor();
    await owner.call("DELETE", session.path);
    deleted.resolve();
    await expectKept(page, "You cannot open this session");
    await context.close();
  });
});
