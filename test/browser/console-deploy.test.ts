// The Deploys of a project in a real browser: one is started, followed, talked to and stopped.
import { expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { copyProject } from "../support/copied-project.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = previewWorld();
const { sql } = createInside(world);
const owner = createClient(world);
const visit = openConsole(world);

async function addCopy(): Promise<{
  id: string;
  path: string;
  chat: () => Promise<{ status: string; deployModel: string }>;
}> {
  const id = await copyProject(sql, { projectId: world.projectId, userId: world.users.owner.id });
  const path = `/api/projects/${id}`;
  return { id, path, chat: async () => (await owner.get(`${path}/deploy-messages`)).body.data };
}

test("a member deploys with instructions, follows the steps, and writes to the agent afterwards", async () => {
  const { id, path } = await addCopy();
  const { page, context } = await visit(`/p/${id}/deploy`, "member");
  await page.getByText("There are no messages yet.").waitFor();
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog
    .getByLabel("Instructions for the deploy agent")
    .fill(script({ bash: "echo from-the-deploy" }, { say: "It is **up**." }));
  await expectFit(page);
  await dialog.getByRole("button", { name: "Start the Deploy" }).click();
  await page.getByRole("list", { name: "Steps of the Deploy" }).waitFor();
  await page.getByText("It is up.").first().waitFor();
  await page
    .getByRole("region", { name: "Deploy", exact: true })
    .getByText(/^✓live$/)
    .waitFor();
  await page.getByRole("button", { name: /echo from-the-deploy/ }).click();
  await page.getByText("from-the-deploy", { exact: true }).first().waitFor();
  await expectFit(page);

  await page.getByRole("textbox", { name: "Message to the deploy agent" }).fill(script({ say: "Changed afterwards." }));
  const file = { name: "wish.txt", mimeType: "text/plain", buffer: Buffer.from("A wish.") };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Changed afterwards.").first().waitFor();
  await page.getByRole("button", { name: /1 step · \d.* s.*done/ }).waitFor();
  await page.getByRole("article", { name: "Turn 1" }).waitFor();
  await page.getByRole("article", { name: "Turn 2" }).waitFor();
  await page.getByRole("link", { name: /wish\.txt/ }).waitFor();
  expect((await owner.get(`${path}/deploys`)).body.data).toHaveLength(1);
  await expectFit(page);
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("region", { name: "Main preview" }).waitFor();
  await page.getByRole("link", { name: "Deploy", exact: true }).click();
  await page.getByRole("article", { name: "Turn 1" }).waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  const preview = page.getByRole("region", { name: "Main preview" });
  await preview.getByText("Running").first().waitFor();
  await preview.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = await page.getByRole("textbox", { name: "Public link" }).inputValue();
  expect((await owner.get(`${path}/preview/share`)).body.data.share.url).toBe(link);
  await page.keyboard.press("Escape");
  await preview.getByRole("link", { name: "Preview and services" }).click();
  await page.waitForURL("**/preview");
  await page.locator("iframe[title='Preview: web']").waitFor();
  const services = page.getByRole("region", { name: "Services" });
  await services.getByRole("button", { name: /^web/ }).click();
  const log = await services.getByRole("log").elementHandle();
  // A read of the log that fails leaves what was read.
  await page.route("**/services/web/log**", (route) =>
    route.fulfill({ status: 400, json: { error: "Not now.", code: "BAD_REQUEST" } }),
  );
  for (let read = 0; read < 2; read += 1) await page.waitForResponse("**/services/web/log**");
  expect(await log?.evaluate((node) => node.isConnected)).toBe(true);
  await page.unroute("**/services/web/log**");
  await services.getByRole("button", { name: "Reset" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Reset" }).click();
  await services.getByText("They start again.").waitFor();
  await expectFit(page);
  await services.getByText("They start again.").waitFor({ state: "detached" });
  await preview.getByText("Running").first().waitFor();
  const [popup] = await Promise.all([
    page.waitForEvent("popup"),
    preview.getByRole("link", { name: "Open", exact: true }).click(),
  ]);
  await popup.waitForLoadState();
  await context.close();
});

test("a running Deploy is stopped, and what waits Up next for it is edited, steered and deleted", async () => {
  const { id, path, chat } = await addCopy();
  await owner.post(`${path}/settings/agentic-deploy`, {
    userResponse: script({ bash: "echo begun && sleep 300" }),
    freshDeploy: true,
  });
  await until("the agent to work", async () => (await chat()).status === "running_agent");
  const { page, context } = await visit(`/p/${id}/deploy`, "owner");
  await page
    .getByText(/sleep 300/)
    .first()
    .waitFor();
  const field = page.getByRole("textbox", { name: "Message to the deploy agent" });
  for (const text of ["First of all", "Second of all", "Third of all"]) {
    await field.fill(text);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("region", { name: "Up next" }).getByText(text).waitFor();
  }
  const upNext = page.getByRole("region", { name: "Up next" });
  await upNext.getByRole("button", { name: "Edit" }).first().click();
  await upNext.getByLabel("Edit the message").fill("First, edited");
  await upNext.getByRole("button", { name: "Save" }).click();
  await upNext.getByText("First, edited").waitFor();
  // An edit stays over another part of the project. Without its message, it is a draft.
  await upNext.getByRole("button", { name: "Edit" }).last().click();
  await upNext.getByLabel("Edit the message").fill("Third, edited");
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("region", { name: "Main preview" }).waitFor();
  await page.getByRole("link", { name: "Deploy", exact: true }).click();
  await expect.poll(() => upNext.getByLabel("Edit the message").inputValue()).toBe("Third, edited");
  const queue = `${path}/settings/agentic-deploy/queue`;
  await owner.delete(`${queue}/${(await owner.get(queue)).body.data.messages.at(-1).id}`);
  await expect.poll(() => field.inputValue()).toBe("Third, edited");
  await page.getByText("Your edit is in the field below.").waitFor();
  await field.fill("");
  const second = upNext.getByRole("listitem").filter({ hasText: "Second of all" });
  const steers = page.getByRole("list", { name: "Steers that the turn has not taken yet" });
  await second.getByRole("button", { name: "Steer" }).click();
  await steers.getByText("Second of all").waitFor();
  await second.waitFor({ state: "detached" });
  await expectFit(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Stop it" }).click();
  await page.getByRole("region", { name: "Deploy", exact: true }).getByText("stopped").waitFor();
  await upNext.getByText("Paused, because the turn was stopped.").waitFor();
  expect((await chat()).status).toBe("cancelled");
  await second.getByRole("button", { name: "Delete" }).click();
  await second.waitFor({ state: "detached" });
  await steers.waitFor({ state: "detached" });
  await page.getByRole("button", { name: /Claude Opus/ }).click();
  await page.getByRole("button", { name: /Sonnet/ }).click();
  await until("the model", async () => /sonnet/.test((await chat()).deployModel));
  await page.keyboard.press("Escape");
  await upNext.getByRole("button", { name: "Resume" }).click();
  await upNext.waitFor({ state: "detached" });
  await page.getByText("First, edited").first().waitFor();

  // Whether or not the turn has ended by now, a new Deploy starts.
  await page.getByRole("button", { name: /^(Deploy|Start over)$/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^(Start the Deploy|Stop and start over)$/ })
    .click();
  await page.getByRole("list", { name: "Steps of the Deploy" }).waitFor();
  await until("a second Deploy", async () => (await owner.get(`${path}/deploys`)).body.data.length === 2);
  await context.close();
});

test("a message that waits for the agent comes back into the field when the Deploy is stopped", async () => {
  const { id, path } = await addCopy();
  const { services, env } = (await owner.get(`${path}/settings`)).body.data;
  await owner.put(`${path}/settings`, { setup: ["sleep 120"], services, env, warmPool: false });
  const { page, context } = await visit(`/p/${id}/deploy`, "member");
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start the Deploy" }).click();
  await page.getByRole("list", { name: "Steps of the Deploy" }).waitFor();
  const field = page.getByRole("textbox", { name: "Message to the deploy agent" });
  await field.fill("Start the worker too");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("region", { name: "Waits for the agent’s turn" }).getByText("Start the worker too").waitFor();
  await expectFit(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Stop it" }).click();
  await page.getByRole("region", { name: "Waits for the agent’s turn" }).waitFor({ state: "detached" });
  await expect.poll(() => field.inputValue()).toBe("Start the worker too");
  await context.close();
});

test("a Deploy whose answer was lost is started once, however often it is tried", async () => {
  const { id, path } = await addCopy();
  const { page, context } = await visit(`/p/${id}/deploy`, "member");
  let isCut = true;
  await page.route("**/settings/agentic-deploy", async (route) => {
    if (!isCut) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/Instructions/).fill(script({ say: "Looked around." }));
  await dialog.getByRole("button", { name: "Start the Deploy" }).click();
  await dialog.getByText(/The change may have been made/).waitFor();
  isCut = false;
  await dialog.getByRole("button", { name: "Start the Deploy" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await owner.get(`${path}/deploys`)).body.data).toHaveLength(1);
  await context.close();
});

test("a question of the deploy agent is answered with an option, and an outsider sees nothing", async () => {
  const { id, path, chat } = await addCopy();
  const options = ["Node 22", "Node 24"].map((title, at) => ({ title, description: "", isRecommended: at === 0 }));
  const questions = [{ topic: "Runtime", question: "Which runtime?", options }];
  await owner.post(`${path}/settings/agentic-deploy`, {
    userResponse: script({ ask: { questions } }),
    freshDeploy: true,
  });
  await until("the question", async () => (await chat()).status === "awaiting_user");
  const { page, context } = await visit(`/p/${id}/deploy`, "member");
  const card = page.getByRole("region", { name: "The agent asks" });
  await card.getByText("Node 24").click();
  await expectFit(page);
  await card.getByRole("button", { name: "Send answer" }).click();
  await card.waitFor({ state: "detached" });
  await page.getByText("Node 24").first().waitFor();
  await context.close();
  const outside = await visit(`/p/${id}/deploy`, "outsider");
  await outside.page.getByRole("alert").getByText("You are not a member of this workspace.").waitFor();
  expect(await outside.page.content()).not.toContain("Which runtime");
  await outside.context.close();
});
