// From an empty workspace to the first turn in a real browser: what is missing, and the way to it.
import { afterAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { madeWorkspaces } from "../support/made-workspaces.ts";
import { startBrowser } from "../support/sign-in-browser.ts";

const world = apiWorld();
const visit = openConsole(world);
const { makeWorkspace } = madeWorkspaces(world);

// In the tests of signing in, the owner has no account at the code host.
afterAll(async () => (await signIn(world, "owner")).call("POST", "/api/auth/github/disconnect"));

/** A workspace of the owner's with a project, and with no model provider. */
async function makeUnconnected(name: string) {
  const made = await makeWorkspace(name, { member: "member" });
  expect((await startBrowser(world, made.boss.cookie).signIn("olive-owner")).status).toBe(302);
  const body = { orgId: made.id, name, repository: "acme/demo-app" };
  const project = await made.boss.call("POST", "/api/projects", body);
  expect(project.status).toBe(201);
  return { ...made, projectId: project.body.data.id as string };
}

test("the inbox leads an owner to a model, then to a Deploy, and greys what cannot be run", async () => {
  const { at, projectId } = await makeUnconnected("Without a model");
  const plain = await visit(`/?project=${projectId}`, "member");
  const step = plain.page.getByRole("region", { name: "The model" });
  await step.getByText("Ask an owner or admin").waitFor();
  await step.getByRole("link", { name: "Use your subscription" }).waitFor();

  const { page, context } = await visit(`/?project=${projectId}`, "owner");
  await page.getByLabel("What should be done?").fill("Say hello.");
  const connect = page.getByRole("region", { name: "The model" }).getByRole("link", { name: "Connect a model" });
  await connect.waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Start" }).isDisabled()).toBe(true);
  await expectFit(page);
  await connect.click();
  await page.waitForURL(`**${at}/models`);
  const row = page.getByRole("listitem", { name: "Kimi" });
  await row.getByRole("button", { name: "Add a key" }).click();
  await row.getByLabel("API key of Kimi").fill("sk-practice-1234567890");
  await row.getByRole("button", { name: "Connect" }).click();
  await row.getByText("7890").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Inbox" }).first().click();

  const deploy = page.getByRole("region", { name: "The first Deploy" });
  await deploy.getByRole("link", { name: "Deploy it" }).waitFor();
  // The step of a page that was open meanwhile ends too.
  await step.waitFor({ state: "detached" });
  await plain.context.close();
  const groups = page.getByLabel("Model", { exact: true }).locator("optgroup");
  const listGreyed = () => groups.evaluateAll((all) => all.filter((one) => one.disabled).map((one) => one.label));
  expect(await listGreyed()).toContain("Anthropic · No login or key of this provider");
  await expect.poll(() => groups.locator("xpath=self::*[@label='Kimi']").isDisabled()).toBe(false);
  await expectFit(page);
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL("**/s/*");
  await context.close();
});

test("a turn that failed without a model leads to the models of the workspace", async () => {
  const { at, boss, projectId } = await makeUnconnected("Failing");
  const path = `/api/projects/${projectId}/chat-sessions`;
  const { session } = (await boss.call("POST", path, { content: "Say hello." })).body.data;
  const { page, context } = await visit(`/s/${session.id}`, "owner");
  const composer = page.getByRole("region", { name: "Composer" });
  await composer.getByRole("button", { name: "Send again…" }).waitFor();
  await expectFit(page);
  await composer.getByRole("link", { name: "Connect a model" }).click();
  await page.waitForURL(`**${at}/models`);
  await context.close();
});

test("a new session at the spend limit leads to the usage, and its words stay", async () => {
  const { page, context } = await visit(`/?project=${world.projectId}`, "owner");
  const error = "The workspace has reached its spend limit of $5 this month.";
  await context.route(`**/api/projects/${world.projectId}/chat-sessions`, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 402, json: { code: "CREDIT_LIMIT_REACHED", error } })
      : route.continue(),
  );
  await page.getByLabel("What should be done?").fill("More.");
  await page.getByRole("button", { name: "Start" }).click();
  const alert = page.getByRole("alert");
  await alert.getByRole("link", { name: "Raise the limit" }).waitFor();
  await expect.poll(() => page.getByLabel("What should be done?").inputValue()).toBe("More.");
  expect(await alert.getByRole("button", { name: "Send" }).count()).toBe(0);
  await expectFit(page);
  await alert.getByRole("link", { name: "Raise the limit" }).click();
  await page.waitForURL(`**/w/${world.workspaceId}/usage`);
  await context.close();
});

test("a newcomer reads for which address an invitation must be, and an open page follows them into a workspace, where a cron's form leads to a first project", async () => {
  const { path, boss } = await makeWorkspace("Welcoming");
  const { page, context } = await visit("/", null);
  await page.goto(world.signInUrl);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /Grace Kelly/ }).click();
  await page.getByText("You are signed in as grace-kelly@practice.example.").waitFor();
  await expectFit(page);

  const body = { email: "grace-kelly@practice.example", role: "member" };
  const invited = await boss.call("POST", `${path}/invitations`, body);
  const elsewhere = await context.newPage();
  await elsewhere.goto(invited.body.data.url);
  await elsewhere.getByRole("button", { name: "Accept the invitation" }).click();
  await elsewhere.getByRole("link", { name: "To your inbox" }).click();
  await elsewhere.getByText("There is no project yet").waitFor();
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText("There is no project yet").waitFor();

  await page.goto(`${world.baseUrl}/crons/new`);
  await page.getByRole("link", { name: "Add a project" }).click();
  await page.getByRole("dialog", { name: "Add a project" }).waitFor();
  await context.close();
});
