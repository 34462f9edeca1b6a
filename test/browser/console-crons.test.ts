// The crons of the console in a real browser: made, run, read, stopped, paused and deleted.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, type Step, script } from "../support/client.ts";
import { expectFit, openConsole, show } from "../support/console-page.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const visit = openConsole(world);
const crons = `/api/organizations/${world.workspaceId}/crons`;

async function createCron(name: string, ...steps: Step[]): Promise<string> {
  const body = { name, projectIds: [world.projectId], prompt: script(...steps), cronExpression: "0 3 * * *" };
  return (await owner.post(crons, body)).body.data.id;
}

/** Runs a cron, and waits until the run has ended. Returns the run's id. */
async function runCron(cronId: string): Promise<string> {
  const [{ runId }] = (await owner.post(`${crons}/${cronId}/run`, {})).body.data.runs;
  const run = `${crons}/${cronId}/runs/${runId}`;
  await until("the run is over", async () => (await owner.get(run)).body.data?.status !== "running");
  return runId;
}

test("a phone has fields that a finger hits", async () => {
  // This language writes times with AM and PM.
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: "en-US" };
  const { page, context } = await visit("/crons/new", "owner", phone);
  for (const label of ["Name", "Schedule", "Time"]) {
    const field = page.getByLabel(label).first();
    await field.waitFor();
    expect((await field.boundingBox())?.height, label).toBeGreaterThanOrEqual(44);
  }
  const readWidth = async () => (await page.getByLabel("Time").boundingBox())?.width ?? 0;
  const shown = await readWidth();
  await page.evaluate(
    "document.querySelector('input[type=time]').style.setProperty('width', 'max-content', 'important')",
  );
  expect(shown).toBeGreaterThanOrEqual(await readWidth());
  await context.close();
});

test("the form of a cron is as narrow as a phone, also with a project of a long name", async () => {
  const { page, context } = await visit("/crons/new", "owner", { viewport: { width: 390, height: 844 } });
  const name = "a-long-name-".repeat(20);
  await page.route("**/projects?*", async (route) => {
    const read = await route.fetch();
    const { data, ...more } = await read.json();
    await route.fulfill({ json: { ...more, data: data.map((one: object) => ({ ...one, name })) } });
  });
  await page.reload();
  const box = page.getByRole("checkbox", { name }).first();
  await box.waitFor();
  const form = await page.getByRole("group", { name: "Projects" }).boundingBox();
  expect((form?.x ?? 0) + (form?.width ?? 0)).toBeLessThanOrEqual(390);
  await context.close();
});

test("fires of another schedule are marked until the new ones are known, and a failed read is tried again", async () => {
  const { page, context } = await visit("/crons/new", "owner");
  await page.getByText("The next fires, UTC").waitFor();
  let refuse = () => {};
  const isAsked = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  await page.route("**/cron-preview?*", async (route) => {
    await isAsked;
    await route.fulfill({ status: 400, json: { error: "The clock is wrong.", code: "BAD_REQUEST" } });
  });
  await page.getByLabel("Time").fill("07:30");
  await page.getByText("Computing the next fires…").waitFor();
  expect(await page.getByText("The next fires, UTC").count()).toBe(0);
  await expectFit(page);
  refuse();
  const refusal = page.getByRole("alert");
  await refusal.getByText("The next fires could not be read. The clock is wrong.").waitFor();
  await expectFit(page);
  await page.unroute("**/cron-preview?*");
  await refusal.getByRole("button", { name: "Try again" }).click();
  await page.getByText("The next fires, UTC").waitFor();
  await page
    .getByText(/ 07:30$/)
    .first()
    .waitFor();
  await context.close();
});

test("a person makes a cron, runs it, reads the run, and starts what it filed", async () => {
  const { page, context } = await visit("/", "owner");
  await page.getByRole("navigation").getByRole("link", { name: "Crons" }).waitFor();
  await until("the crons", async () => {
    // The second stroke counts for a second and a half, which a busy machine may need between them.
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    return new URL(page.url()).pathname === "/crons";
  });
  await page.getByRole("link", { name: "New cron" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Look at the <b>boards</b>");
  await page.getByLabel("What the agent should do").fill(
    script(
      { tool: { name: "read", input: { path: "README.md" } } },
      { file: { title: "Mend the board", prompt: script({ say: "Mended." }) } },
      {
        artifact: {
          slug: "report",
          title: "Report",
          kind: "markdown",
          content: "# All boards\n\nThey are **late**.",
        },
      },
      { say: "One board is late." },
    ),
  );
  const project = page.getByRole("group", { name: "Projects" }).getByRole("checkbox").first();
  await project.check();
  await page.getByLabel("Schedule").selectOption("Every week");
  await page.getByLabel("Time").fill("07:30");
  await page.getByRole("checkbox", { name: "Thursday" }).check();
  await page.getByText("Every Monday and Thursday at 07:30, UTC.").waitFor();
  await page
    .getByText(/^(Mon|Thu).* 07:30$/)
    .nth(4)
    .waitFor();
  await expectFit(page);
  // What was typed is still there after a reload.
  await page.reload();
  await page.getByText("Every Monday and Thursday at 07:30, UTC.").waitFor();
  await page.getByRole("button", { name: "Create cron" }).click();
  await page.getByRole("heading", { level: 1, name: "Look at the <b>boards</b>" }).waitFor();
  await page.getByText("Never", { exact: true }).waitFor();
  await page.getByText(/It has not run yet/).waitFor();
  await expectFit(page);

  await page.getByRole("button", { name: "Run now" }).click();
  const cron = `${crons}/${new URL(page.url()).pathname.split("/")[2]}`;
  const run = await until("the run is over", async () => {
    const [newest] = (await owner.get(`${cron}/runs`)).body.data.runs;
    return newest?.status !== "running" && newest;
  });
  expect(run).toMatchObject({ status: "succeeded" });
  const fired = page.getByRole("status").filter({ has: page.getByRole("link", { name: "Open the run" }) });
  await fired.getByText("done", { exact: true }).waitFor();
  await fired.getByRole("link").click();
  await page.getByRole("region", { name: "Reply" }).getByText("One board is late.").waitFor();
  await page.getByRole("region", { name: "Transcript" }).getByText("One board is late.", { exact: true }).waitFor();
  await page.getByText("Steps and log").click();
  await page.getByText("First event of the agent").waitFor();
  await page.getByRole("link", { name: /Report/ }).click();
  await page.getByRole("dialog").getByText("All boards").waitFor();
  await expectFit(page);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await expectFit(page);
  const filed = page.getByRole("region", { name: "Filed sessions" });
  await filed.getByRole("button", { name: "Start Mend the board" }).click();
  await filed.getByRole("button", { name: /Start/ }).waitFor({ state: "detached" });
  await filed.getByRole("link", { name: "Mend the board" }).click();
  await page.getByRole("heading", { level: 1, name: "Mend the board" }).waitFor();
  // The activity feed leads to the run, and to the cron.
  await page.goto(`${world.baseUrl}/activity`);
  await page
    .getByRole("link", { name: /Look at the.*succeeded|succeeded.*Look at the/i })
    .first()
    .click();
  await page.getByRole("heading", { level: 1, name: /^Run in/ }).waitFor();
  await context.close();
});

test("a cron is edited, paused, resumed and deleted, and lists follow without a reload", async () => {
  const other = await visit("/crons", "member");
  await other.page.getByRole("heading", { level: 1, name: "Crons" }).waitFor();
  const id = await createCron("Followed", { say: "Nothing to do." });
  const row = other.page.getByRole("link", { name: /Followed/ });
  await row.getByText("Every day at 03:00, UTC").waitFor();
  await row.getByText(/next/).waitFor();

  const { page, context } = await visit("/crons", "owner");
  await page.getByRole("link", { name: /Followed/ }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: /^Name/ }).fill("Half typed");
  // An edit that a person leaves is open with its text when they come back.
  await page.getByRole("main").getByRole("link", { name: "Crons", exact: true }).click();
  await page.getByRole("link", { name: /Followed/ }).click();
  await expect.poll(() => page.getByRole("textbox", { name: /^Name/ }).inputValue()).toBe("Half typed");
  await page.getByRole("textbox", { name: /^Name/ }).fill("Followed");
  await page.getByLabel("Schedule").selectOption("Own cron expression");
  const expression = page.getByLabel(/^Cron expression/);
  await expression.fill("*/5 * * * *");
  await page.getByText("A cron fires every 15 minutes at most.").waitFor();
  const save = page.getByRole("button", { name: "Save" });
  await expect.poll(() => save.isDisabled()).toBe(true);
  await expression.fill("0 9 31 2 *");
  await page.getByText("The date of this schedule never comes").waitFor();
  await page.getByText("Fix the schedule.").waitFor();
  await expect.poll(() => save.isDisabled()).toBe(true);
  await expectFit(page);
  await expression.fill("*/30 9-17 * * 1-5");
  await page.route("**/crons/*", async (route) => {
    if (route.request().method() !== "PATCH") return await route.fallback();
    await route.fulfill({ status: 409, json: { error: "Somebody changed it.", code: "CONFLICT" } });
  });
  await save.click();
  await page.getByRole("alert").getByText("Somebody changed it.").waitFor();
  await expect.poll(() => expression.inputValue()).toBe("*/30 9-17 * * 1-5");
  await page.unroute("**/crons/*");
  await save.click();
  await page.getByText("Every weekday, every 30 minutes from 09:00 to 17:30, UTC").waitFor();
  await row.getByText("Every weekday, every 30 minutes from 09:00 to 17:30, UTC").waitFor();

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("None: it is paused").waitFor();
  await row.getByText("paused").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await until("the cron is enabled", async () => (await owner.get(`${crons}/${id}`)).body.data.enabled);

  const reader = await other.context.newPage();
  await reader.goto(`${world.baseUrl}/crons/${id}`);
  const heading = reader.getByRole("heading", { level: 1 });
  await heading.getByText("Followed").waitFor();
  // After a read that fails, the page does not say that the cron cannot be opened.
  await reader.route(`**/crons/${id}`, (route) =>
    route.fulfill({ status: 400, json: { error: "Not now.", code: "BAD_REQUEST" } }),
  );
  await page.getByRole("button", { name: "Pause" }).click();
  await reader.getByRole("alert").getByText("Not now.").waitFor();
  expect(await heading.allTextContents()).toEqual(["Followed"]);
  await reader.unrouteAll();
  await page.getByRole("button", { name: "Resume" }).click();
  await reader.getByRole("alert").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/crons");
  await page.getByRole("link", { name: /Followed/ }).waitFor({ state: "detached" });
  await row.waitFor({ state: "detached" });
  await reader.getByRole("heading", { level: 1, name: "This cron was deleted" }).waitFor();
  await expectFit(reader);
  expect((await owner.get(`${crons}/${id}`)).status).toBe(404);
  await Promise.all([context.close(), other.context.close()]);
});

test("a run is followed while it works, and stopped", async () => {
  const id = await createCron(
    "Slow",
    { say: "First words." },
    { sleep: 2_000 },
    { tool: { name: "read", input: { path: "README.md" } } },
    { say: "Later words." },
    { sleep: 600_000 },
  );
  const { page, context } = await visit(`/crons/${id}`, "owner");
  await page.getByRole("button", { name: "Run now" }).click();
  const runs = page.getByRole("region", { name: "Runs" });
  await runs.getByText("running").waitFor();
  await page.getByRole("status").getByText("running", { exact: true }).waitFor();
  await runs.getByRole("link").first().click();
  // The transcript grows with the events of the run.
  await page.getByText("Later words.", { exact: true }).waitFor();
  await expectFit(page);
  // A read of the run that fails takes nothing from the page.
  const steps = await page.getByRole("feed", { name: "Steps of the run" }).elementHandle();
  let failed = 0;
  await page.route(`**/runs/${new URL(page.url()).pathname.split("/").at(-1)}`, async (route) => {
    if (failed++ > 0) return await route.continue();
    await route.fulfill({ status: 400, json: { error: "Not now.", code: "BAD_REQUEST" } });
  });
  await until("the read after the failed one", () => failed > 1);
  expect(await steps?.evaluate((node) => node.isConnected)).toBe(true);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("main").getByText("stopped").first().waitFor();
  await page.getByRole("region", { name: "Diagnostics" }).getByText("A person stopped it.").waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await context.close();
});

test("a run that is over keeps its earlier steps when its tab was out of sight", async () => {
  const id = await createCron("Long", { say: "The end." });
  const runId = await runCron(id);
  const { page, context } = await visit("/account", "owner");
  await page.clock.install();
  let reads = 0;
  // The only page of the transcript is also the one before it.
  await page.route(`**/runs/${runId}/messages?*`, async (route) => {
    reads += 1;
    const url = new URL(route.request().url());
    const before = url.searchParams.has("before") ? null : "1";
    url.searchParams.delete("before");
    const response = await route.fetch({ url: url.href });
    const { data } = await response.json();
    await route.fulfill({ response, json: { data: { ...data, before } } });
  });
  await page.goto(`${world.baseUrl}/crons/${id}/runs/${runId}`);
  const earlier = page.getByRole("button", { name: "Earlier steps" });
  await earlier.click();
  await earlier.waitFor({ state: "detached" });
  await page.getByText(/Live$/).waitFor();
  await show(page, "hidden");
  await page.clock.runFor(31_000);
  const isBack = page.waitForRequest("**/api/events**");
  await show(page, "visible");
  await isBack;
  expect(reads).toBe(2);
  await context.close();
});

test("after five failed runs the project is paused with the reason, and resumed", async () => {
  const id = await createCron("Broken", { fail: "context_window_exceeded" });
  for (let run = 0; run < 5; run += 1) await runCron(id);
  await until("the pause", async () => (await owner.get(`${crons}/${id}`)).body.data.pausedProjectCount === 1);
  const { page, context } = await visit("/crons", "owner");
  await page.getByRole("link", { name: /Broken.*paused after failures.*disabled/ }).click();
  await page.getByText(/The cron has disabled itself/).waitFor();
  await page.getByText(/after five failed runs\. .+/).waitFor();
  await page.getByText(/^5 in 90 days/).waitFor();
  await expectFit(page);
  await page
    .getByRole("region", { name: "Projects" })
    .getByRole("button", { name: /^Resume/ })
    .click();
  await page.getByText(/after five failed runs\./).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await context.close();
});

test("a member who did not make it reads it, and an outsider gets a sentence and no data", async () => {
  const id = await createCron("Only read", { say: "Read by all." });
  const runId = await runCron(id);
  const member = await visit(`/crons/${id}`, "member");
  await member.page.getByText(/Only .* admins of the workspace change or run this cron/).waitFor();
  for (const name of ["Run now", "Pause", "Edit", "Delete"])
    expect(await member.page.getByRole("button", { name }).count()).toBe(0);
  const run = member.page.getByRole("region", { name: "Runs" }).getByRole("link").first();
  await run.waitFor();
  await expectFit(member.page);
  await run.click();
  await member.page.getByRole("region", { name: "Transcript" }).getByText("Read by all.", { exact: true }).waitFor();
  expect(await member.page.getByRole("region", { name: "Diagnostics" }).count()).toBe(0);
  await member.context.close();

  for (const path of [`/crons/${id}`, `/crons/${id}?workspace=${world.workspaceId}`, `/crons/${id}/runs/${runId}`]) {
    const { page, context } = await visit(path, "outsider");
    await page
      .getByRole("alert")
      .getByText(/None of your workspaces|You are not a member/)
      .waitFor();
    await page.getByRole("link", { name: "To your inbox" }).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await page.content()).not.toContain("Only read");
    await expectFit(page);
    await context.close();
  }
});
