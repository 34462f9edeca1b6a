// Webhooks, sandboxes, skills and the audit log of a workspace in a real browser, by role.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { confirmQuestion as confirm, madeWorkspaces } from "../support/made-workspaces.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const visit = openConsole(world);
const { makeWorkspace } = madeWorkspaces(world);

/** A receiver of webhooks, which answers with `status`. */
async function openReceiver() {
  const receiver = { status: 500, types: [] as string[], url: "" };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      receiver.types.push(JSON.parse(Buffer.concat(chunks).toString()).type);
      response.writeHead(receiver.status).end(receiver.status === 200 ? "<b>thanks</b>" : "not today");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return receiver;
}

test("an admin adds a webhook, reads its deliveries with their answers, and sends again what failed", async () => {
  const receiver = await openReceiver();
  const { at, path, boss } = await makeWorkspace("Hooked", { admin: "admin" });
  const { page, context } = await visit(`${at}/webhooks`, "admin");
  const untilLogged = (name: RegExp) =>
    until(`a delivery ${name}`, async () => {
      await page.getByRole("button", { name: "Read the log again" }).click();
      return (await page.getByRole("button", { name }).count()) > 0;
    });
  await page.getByRole("button", { name: "New webhook" }).click();
  await page.getByLabel(/^Address/).fill("https://192.0.2.1/hooks");
  await page.getByLabel(/^Name/).fill("The <b>receiver</b>");
  await page.getByLabel("All, also kinds to come").uncheck();
  await page.getByLabel("Turns").check();
  await page.getByText("Choose kinds of Members").click();
  await page.getByLabel("invited").check();
  await page.getByRole("button", { name: "Add the webhook" }).click();
  await page.getByRole("alert").getByText("The address names a host, not an IP address.").waitFor();
  const isInvalid = () => page.getByLabel(/^Address/).getAttribute("aria-invalid");
  expect(await isInvalid()).toBe("true");
  await expectFit(page);
  await page.getByLabel(/^Address/).fill(receiver.url);
  expect(await isInvalid()).toBeNull();
  await page.getByRole("button", { name: "Add the webhook" }).click();
  await page.locator("code", { hasText: "whsec_" }).waitFor();
  await page.getByText("Turns, Members (invited)").waitFor();
  await expectFit(page);

  await page.getByRole("link", { name: "The <b>receiver</b>" }).click();
  await page.getByText("whsec_").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test: failed, answer 500.").waitFor();
  await page.getByRole("button", { name: /^webhook.test/ }).click();
  await page.getByText("not today").waitFor();
  await expectFit(page);

  receiver.status = 200;
  await page.getByRole("button", { name: "Send it again" }).click();
  await page.getByRole("button", { name: /^webhook.test.*answer 200/ }).waitFor();
  await page.getByText("<b>thanks</b>").first().waitFor();
  await boss.call("POST", `${path}/invitations`, { email: "stranger@example.com", role: "member" });
  await untilLogged(/^member.invited/);
  receiver.status = 500;
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test: failed, answer 500.").waitFor();
  await page.getByLabel("Which deliveries").selectOption("failed");
  await page.getByRole("button", { name: /^webhook.test.*failed/ }).waitFor();
  await page.getByRole("button", { name: /^member.invited/ }).waitFor({ state: "detached" });
  await page.getByLabel("Which deliveries").selectOption("");

  await page.getByRole("button", { name: "Make a new secret" }).click();
  await confirm(page, "Make a new secret");
  await page.locator("code", { hasText: "whsec_" }).waitFor();
  await boss.call("POST", `${path}/invitations`, { email: "other@example.com", role: "member" });
  await untilLogged(/^member.invited.*waits/);
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByText("disabled by hand").waitFor();
  await page.getByRole("button", { name: /^member.invited.*dropped/ }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Send a test" }).isDisabled()).toBe(true);
  receiver.status = 200;
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("button", { name: "Disable", exact: true }).waitFor();
  await page.getByRole("button", { name: "Send again", exact: true }).click();
  await page.getByText("1 delivery is sent again.").waitFor();
  await page
    .getByRole("button", { name: /^member.invited.*answer 200/ })
    .nth(1)
    .waitFor();
  await page.getByRole("button", { name: "Send again", exact: true }).click();
  await page.getByText("Nothing to send again: tests are not repeated.").waitFor();
  await page.getByLabel(/^Name/).fill("Renamed");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Renamed" }).waitFor();
  await expectFit(page);
  await page.getByRole("button", { name: "Delete" }).click();
  await confirm(page, "Delete");
  await page.getByText("There are no webhooks.").waitFor();
  expect(receiver.types).toEqual(expect.arrayContaining(["webhook.test", "member.invited"]));
  await context.close();
});

test("a member sees which sandboxes run, stops one, and then all", async () => {
  const owner = createClient(world);
  const titles = ["First sandbox", "Second <b>sandbox</b>", "Third sandbox"];
  for (const title of titles) {
    const session = await owner.createSession({ title });
    await owner.run(session.path, { say: "Ready." });
  }
  const { page, context } = await visit(`/w/${world.workspaceId}/sandboxes`, "member");
  for (const title of titles) await page.getByRole("link", { name: title }).last().waitFor();
  await expectFit(page);
  await page.getByRole("button", { name: "Stop the sandbox of First sandbox" }).click();
  await page.getByText("The sandbox is stopped.").waitFor();
  await page.getByRole("button", { name: "Stop the sandbox of First sandbox" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Stop all" }).click();
  await confirm(page, "Stop all");
  await page.getByText("0 of 20 run now.").waitFor();
  await expectFit(page);
  await context.close();
});

test("an admin writes a skill, which a member reads", async () => {
  const { at } = await makeWorkspace("Skilled", { admin: "admin", member: "member" });
  const { page, context } = await visit(`${at}/skills`, "admin");
  await page.getByRole("link", { name: "New skill" }).click();
  await page.getByLabel("Text of SKILL.md").fill("No front matter");
  await page.getByRole("button", { name: "Save the skill" }).click();
  await page.getByRole("alert").getByText("SKILL.md has a mistake: its").waitFor();
  await page.reload();
  await expect.poll(() => page.getByLabel("Text of SKILL.md").inputValue()).toBe("No front matter");
  await page.getByRole("button", { name: "Drop the changes" }).click();
  await page.getByRole("button", { name: "Add a file" }).click();
  await page.getByLabel("Path of the file").fill("steps/release.md");
  await page.getByLabel("Text of steps/release.md").fill("Tag it.");
  await page.getByRole("button", { name: "SKILL.md" }).click();
  const matter = "---\nname: release\ndescription: Makes a <b>release</b>.\n---\n\nRead steps/release.md.\n";
  await page.getByLabel("Text of SKILL.md").fill(matter);
  await expectFit(page);
  await page.getByRole("button", { name: "Save the skill" }).click();
  await page.getByText("Makes a <b>release</b>.").waitFor();
  await page.getByText("2 files").waitFor();
  await page.getByRole("checkbox", { name: "release is on", exact: true }).click();
  await page.getByRole("checkbox", { checked: false }).waitFor();
  await expectFit(page);

  const plain = await visit(`${at}/skills`, "member");
  await plain.page.getByRole("link", { name: "/release" }).click();
  await expect.poll(() => plain.page.getByLabel("Text of SKILL.md").inputValue()).toBe(matter);
  expect(await plain.page.getByRole("button", { name: /Save|Add a file|Delete/ }).count()).toBe(0);
  await expectFit(plain.page);
  await plain.context.close();

  await page.getByRole("link", { name: "/release" }).click();
  await page.getByRole("button", { name: "steps/release.md" }).click();
  await page.getByRole("button", { name: "Delete the file" }).click();
  await page.getByRole("button", { name: "Save the skill" }).click();
  await page.getByText("1 file", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete release" }).click();
  await confirm(page, "Delete");
  await page.getByText("There are no skills.").waitFor();
  await context.close();
});

test("the owner reads the audit log page by page, and nobody else", async () => {
  const { at, path, boss } = await makeWorkspace("Logged", { admin: "admin" });
  for (let count = 0; count < 60; count += 1) await boss.call("PATCH", path, { name: `Logged ${count}` });
  await boss.call("PATCH", `${path}/members/${world.users.admin.id}`, { role: "admin" });
  const { page, context } = await visit(`${at}/audit`, "owner");
  const rows = page.getByRole("main").locator("ol > li");
  await rows.nth(49).waitFor();
  await expect.poll(() => rows.count()).toBe(50);
  await expect.poll(() => rows.nth(1).textContent()).toContain("Olive Owner changed the settings of the workspace");
  await rows.first().getByText("Olive Owner changed the role of a member: Adam Admin").waitFor();
  await page.getByRole("button", { name: "Older" }).click();
  await page.getByText("Adam Admin accepted an invitation").first().waitFor();
  await page.getByText("Olive Owner made the workspace").first().waitFor();
  await rows.first().locator("summary").click();
  await rows.first().getByText("changeMember").waitFor();
  await expectFit(page);
  await context.close();
  const other = await visit(`${at}/audit`, "admin");
  await other.page.getByText("Only the owner sees this.").waitFor();
  await expectFit(other.page);
  await other.context.close();
});
