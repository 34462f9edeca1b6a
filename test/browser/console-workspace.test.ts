// The settings of a workspace in a real browser: as its owner, an admin, a member and an outsider.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { confirmQuestion as confirm, madeWorkspaces } from "../support/made-workspaces.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const visit = openConsole(world);
const { makeWorkspace, deleteLater } = madeWorkspaces(world);
const { sql } = createInside(world);

/** The smallest PNG: one point. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("the owner finds the settings, changes them, and a taken short name names a free one", async () => {
  const other = await makeWorkspace("Taken");
  const { id, path, boss } = await makeWorkspace("Rockets");
  const { page, context } = await visit("/", "owner");
  // Before its code is loaded, the button opens no menu.
  await page.locator("button[aria-haspopup]", { hasText: "Olive Owner" }).click();
  await page.getByRole("menuitem", { name: "Rockets" }).click();
  await page.waitForURL(`**/w/${id}`);
  await page.getByLabel("Name", { exact: true }).fill("Rockets & <i>Sons</i>");
  await page.getByLabel("Short name").fill(other.slug);
  await page.getByLabel("Time zone").selectOption("Europe/Berlin");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: /^Use / }).click();
  const free = await page.getByLabel("Short name").inputValue();
  await expect.poll(() => page.getByLabel("Time zone").inputValue()).toBe("Europe/Berlin");
  await page.getByLabel("Default model").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.getByRole("heading", { level: 1, name: "Rockets & <i>Sons</i>" }).waitFor();
  const { data } = (await boss.call("GET", path)).body;
  expect(data).toMatchObject({ name: "Rockets & <i>Sons</i>", slug: free, timezone: "Europe/Berlin" });
  expect(data.defaultModel).toEqual(expect.any(String));

  const input = page.getByLabel("A picture for the logo");
  await input.setInputFiles({ name: "words.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
  await page.getByRole("region", { name: "Logo" }).getByRole("alert").waitFor();
  await input.setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: picture });
  await page.getByRole("button", { name: "Delete the logo" }).waitFor();
  await expectFit(page);
  await page.getByRole("button", { name: "Delete the logo" }).click();
  await confirm(page, "Delete");
  await page.getByRole("button", { name: "Choose a picture" }).waitFor();

  await page.getByRole("button", { name: "Delete the workspace" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("Rockets");
  await expect.poll(() => dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
  await dialog.getByRole("textbox").fill("Rockets & <i>Sons</i>");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(`${world.baseUrl}/`);
  expect((await boss.call("GET", path)).status).toBe(404);
  await context.close();
});

test("the owner invites by a link, changes roles, and transfers the ownership", async () => {
  const { path, at, boss } = await makeWorkspace("Crew", { admin: "member" });
  const { page, context } = await visit(at, "owner");
  await page.getByRole("heading", { level: 1, name: "Crew" }).waitFor();
  await page.keyboard.press("/");
  await page.getByRole("dialog").getByRole("combobox").fill("crew mem");
  await page.getByRole("option", { name: "Crew: members" }).click();
  await page.waitForURL(`**${at}/members`);

  await page.getByLabel("Email address").fill("member@example.com");
  await page.getByRole("button", { name: "Invite" }).click();
  const url = (await page.getByText(/\/invitations\//).textContent()) ?? "";
  await expectFit(page);
  const guest = await visit(new URL(url).pathname, "member");
  await guest.page.getByRole("button", { name: "Accept" }).click();
  await guest.page.getByText("Crew").first().waitFor();
  await guest.context.close();

  await page.getByLabel("Email address").fill("stranger@example.com");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByRole("button", { name: "Revoke the invitation of stranger@example.com" }).click();
  await confirm(page, "Revoke");
  await page.getByText("stranger@example.com").first().waitFor({ state: "detached" });
  expect((await boss.call("GET", `${path}/invitations`)).body.data).toEqual([]);

  // The owner looks at the page again.
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
  await page.getByText("Members work with sessions and projects; they change nothing of the workspace.").waitFor();
  await page.getByLabel("Role of Mia Member").selectOption("admin");
  await page.getByRole("listitem").filter({ hasText: "Mia Member" }).getByRole("status").getByText("Saved").waitFor();
  const isAdmin = async () => {
    const { data } = (await boss.call("GET", `${path}/members`)).body;
    return data.some(({ name, role }: { name: string; role: string }) => name === "Mia Member" && role === "admin");
  };
  await expect.poll(isAdmin).toBe(true);
  await page.getByLabel("Actions for Mia Member").click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await confirm(page, "Remove");
  await page.getByLabel("Role of Mia Member").waitFor({ state: "detached" });
  // Another browser of the owner learns it from the event.
  const elsewhere = await visit(at, "owner");
  const deletion = elsewhere.page.getByRole("button", { name: "Delete the workspace" });
  await deletion.waitFor();
  await elsewhere.page.getByText(/Live$/).waitFor();
  await page.getByLabel("Actions for Adam Admin").click();
  await page.getByRole("menuitem", { name: "Make the owner" }).click();
  await confirm(page, "Transfer the ownership");
  await deletion.waitFor({ state: "detached" });
  await elsewhere.context.close();
  await page.getByRole("button", { name: "Leave" }).waitFor();
  expect((await boss.call("GET", path)).body.data.role).toBe("admin");
  await page.getByRole("button", { name: "Leave" }).click();
  await confirm(page, "Leave");
  await page.waitForURL(`${world.baseUrl}/`);
  expect((await boss.call("GET", path)).status).toBe(403);
  await context.close();
});

test("a page of members that stays open shows who has joined", async () => {
  const { path, at, boss } = await makeWorkspace("Growing");
  const { page, context } = await visit(`${at}/members`, "owner");
  await page.getByLabel("Email address").fill("member@example.com");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByRole("button", { name: "Revoke the invitation of member@example.com" }).waitFor();
  const [{ token }] = (await boss.call("GET", `${path}/invitations`)).body.data;
  const guest = await signIn(world, "member");
  expect((await guest.call("POST", `/api/invitations/${token}/accept`)).status).toBe(200);
  await page.getByLabel("Role of Mia Member").waitFor();
  await page
    .getByRole("button", { name: "Revoke the invitation of member@example.com" })
    .waitFor({ state: "detached" });
  await context.close();
});

test("a member reads and changes nothing, an outsider gets a sentence, and a suspended workspace says so", async () => {
  const { id, at } = await makeWorkspace("Quiet corner", { member: "member" });
  const { page, context } = await visit("/account", "member", { viewport: { width: 390, height: 844 } });
  await page.getByRole("main").getByRole("link", { name: "Quiet corner" }).click();
  await page.getByText("Owners and admins change these settings.").waitFor();
  await expect.poll(() => page.getByLabel("Name", { exact: true }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
  const parts = page.getByRole("navigation", { name: "Settings of the workspace" });
  expect(await parts.getByRole("link", { name: "Audit log" }).count()).toBe(0);
  await expectFit(page);
  await parts.getByRole("link", { name: "Members" }).click();
  await page.getByText("Olive Owner").first().waitFor();
  expect(await page.getByRole("button", { name: /Invite|Actions for/ }).count()).toBe(0);
  await expectFit(page);
  await parts.getByRole("link", { name: "General" }).click();
  await page.getByRole("button", { name: "Leave" }).click();
  await confirm(page, "Leave");
  await page.waitForURL(`${world.baseUrl}/`);
  await page
    .getByRole("link", { name: "Account" })
    .or(page.getByRole("button", { name: /Mia Member/ }))
    .first()
    .waitFor();
  await context.close();

  const outside = await visit(`${at}/members`, "outsider");
  await outside.page.getByRole("alert").filter({ hasText: "You are not a member of this workspace." }).waitFor();
  await outside.page.getByRole("link", { name: "To your inbox" }).waitFor();
  expect(await outside.page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  expect(await outside.page.content()).not.toContain("Quiet corner");
  await expectFit(outside.page);
  await outside.context.close();

  await sql("UPDATE workspaces SET suspended_at = ? WHERE id = ?", Date.now(), id);
  try {
    const suspended = await visit(at, "owner");
    await suspended.page.getByText(/suspended this workspace/).waitFor();
    await expectFit(suspended.page);
    await suspended.context.close();
  } finally {
    await sql("UPDATE workspaces SET suspended_at = NULL WHERE id = ?", id);
  }
});

test("a member who is removed sees a sentence in place of what pages showed", async () => {
  const { at, path, boss } = await makeWorkspace("Closed circle", { member: "member" });
  const { page, context } = await visit(`${at}/usage`, "member");
  await page.getByText("No model was called in these days.").waitFor();
  const members = await context.newPage();
  await members.goto(`${world.baseUrl}${at}/members`);
  await members.getByText("Olive Owner").first().waitFor();
  await members.getByText(/Live$/).waitFor();
  expect((await boss.call("DELETE", `${path}/members/${world.users.member.id}`)).status).toBe(204);
  for (const left of [page, members]) {
    await left.getByRole("alert").filter({ hasText: "You are not a member of this workspace." }).waitFor();
    await expect.poll(() => left.getByRole("main").textContent()).not.toMatch(/Closed circle|Olive Owner|No model/);
  }
  await context.close();
});

test("a person makes a workspace on the account page", async () => {
  const { page, context } = await visit("/account", "outsider");
  await page.getByLabel("Name of a new workspace").fill("Founded <b>here</b>");
  await expectFit(page);
  await page.getByRole("button", { name: "Make a workspace" }).click();
  await page.getByRole("heading", { level: 1, name: "Founded <b>here</b>" }).waitFor();
  deleteLater(page.url().split("/w/")[1] ?? "", "outsider");
  await page.getByText(/^Owner · plan/).waitFor();
  await context.close();
});

test("an admin connects providers by a key and by sign-ins, and makes and revokes a relay key", async () => {
  const { at, path, boss } = await makeWorkspace("Paying", { admin: "admin", member: "member" });
  const { page, context } = await visit(`${at}/models`, "admin");
  const row = (name: string) => page.getByRole("listitem", { name });
  await row("Kimi").getByRole("button", { name: "Add a key" }).click();
  await row("Kimi").getByLabel("API key of Kimi").fill("sk-refused");
  await row("Kimi").getByRole("button", { name: "Connect" }).click();
  await row("Kimi").getByRole("alert").waitFor();
  await expect.poll(() => row("Kimi").getByLabel("API key of Kimi").inputValue()).toBe("sk-refused");
  await expectFit(page);
  await row("Kimi").getByLabel("API key of Kimi").fill("sk-practice-1234567890");
  await row("Kimi").getByRole("button", { name: "Connect" }).click();
  await row("Kimi").getByText("7890").waitFor();
  expect(await page.content()).not.toContain("sk-practice-1234567890");

  /** Answers at the provider, and waits until it has the answer. Returns the code that it shows. */
  const answer = async (url: string, button: "Approve" | "Deny", outcome: string) => {
    const provider = await context.newPage();
    await provider.goto(url);
    await provider.getByLabel(/Your address/).fill("pays@example.com");
    await provider.getByRole("button", { name: button }).click();
    await provider.getByRole("heading", { name: outcome, exact: true }).waitFor();
    const code = outcome === "Your code" ? await provider.locator("code").textContent() : null;
    await provider.close();
    return code ?? "";
  };
  const linkTo = async (name: string) =>
    (await page
      .getByRole("dialog")
      .getByRole("link", { name: `Open ${name}` })
      .getAttribute("href")) ?? "";
  await row("OpenAI").getByRole("button", { name: "Sign in" }).click();
  const denied = (await page.getByRole("dialog").locator("code").textContent()) ?? "";
  await answer(`${await linkTo("OpenAI")}?user_code=${encodeURIComponent(denied)}`, "Deny", "Not connected");
  await page.getByRole("button", { name: "Begin again" }).click();
  await page.getByRole("dialog").locator("code").filter({ hasNotText: denied }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

  await row("Anthropic").getByRole("button", { name: "Sign in" }).click();
  expect(await page.getByRole("dialog").getByText("It replaces what is connected").count()).toBe(0);
  await page.getByLabel("The code that it shows").fill("https://elsewhere.example/?code=1&state=2");
  await page.getByRole("dialog").getByRole("button", { name: "Connect" }).click();
  await page.getByRole("dialog").getByRole("alert").getByText("The provider does not accept this code.").waitFor();
  await page.getByLabel("The code that it shows").fill(await answer(await linkTo("Anthropic"), "Approve", "Your code"));
  await expectFit(page);
  await page.getByRole("dialog").getByRole("button", { name: "Connect" }).click();
  await row("Anthropic").getByText("Signed in as pays@example.com").waitFor();

  await row("OpenAI").getByRole("button", { name: "Sign in" }).click();
  const code = (await page.getByRole("dialog").locator("code").textContent()) ?? "";
  await expectFit(page);
  // A question that is lost is asked again.
  let lost = 0;
  await page.route("**/login/openai/complete", (route) => (lost++ === 0 ? route.abort() : route.continue()));
  await until("the lost question", () => lost > 0);
  await answer(`${await linkTo("OpenAI")}?user_code=${encodeURIComponent(code)}`, "Approve", "Connected");
  await row("OpenAI").getByText("Signed in as pays@example.com").waitFor();
  await row("OpenAI").getByRole("button", { name: "Sign in again" }).click();
  await page.getByRole("dialog").getByText("It replaces what is connected at OpenAI now.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await row("Anthropic").getByRole("button", { name: "Remove" }).click();
  await confirm(page, "Remove");
  await row("Anthropic").getByText("Nothing is connected.").waitFor();
  const { data } = (await boss.call("GET", `${path}/credentials`)).body;
  expect(data).toMatchObject({ anthropic: null, openai: { authMethod: "sign_in" }, kimi: { authMethod: "api_key" } });
  await expectFit(page);

  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByLabel("Name of the key").fill("Chat <b>tool</b>");
  await page.getByRole("button", { name: "Make a key" }).click();
  const key = (await page.locator("code", { hasText: "svc_rly_" }).textContent()) ?? "";
  await expectFit(page);
  await page.reload();
  const made = page.getByRole("listitem").filter({ hasText: "Chat <b>tool</b>" });
  await made.getByText(`…${key.slice(-4)}`).waitFor();
  await made.getByRole("button", { name: "Revoke" }).click();
  await confirm(page, "Revoke");
  await page.getByText("There are no relay keys.").waitFor();
  await context.close();

  const plain = await visit(`${at}/models`, "member");
  await plain.page.getByText("On the workspace's credential.").first().waitFor();
  await plain.page.getByText("Only owners and admins see and change this.").waitFor();
  expect(await plain.page.getByRole("button", { name: /key|Sign in/ }).count()).toBe(0);
  await plain.page.goto(`${world.baseUrl}${at}/keys`);
  await plain.page.getByText("Only owners and admins see and change this.").waitFor();
  await expectFit(plain.page);
  await plain.context.close();
});

test("an admin has a model write titles, and a member sees that it does", async () => {
  const { at, path, boss } = await makeWorkspace("Titled", { admin: "admin", member: "member" });
  const admin = await visit(`${at}/models`, "admin");
  const titles = admin.page.getByRole("checkbox", { name: "A model writes the titles of new sessions" });
  await titles.waitFor();
  await expect.poll(() => titles.isChecked()).toBe(false);
  await admin.page.getByText("one call to the cheapest model").waitFor();
  await titles.click();
  await expect.poll(async () => (await boss.call("GET", path)).body.data.generatedTitles).toBe(true);
  await expectFit(admin.page);
  const member = await visit(`${at}/models`, "member");
  const seen = member.page.getByRole("checkbox", { name: "A model writes the titles of new sessions" });
  await seen.waitFor();
  expect([await seen.isChecked(), await seen.isDisabled()]).toEqual([true, true]);
  await titles.click();
  await expect.poll(async () => (await boss.call("GET", path)).body.data.generatedTitles).toBe(false);
  for (const { context } of [admin, member]) await context.close();
});
