// The page of a workspace's usage in a real browser: its numbers, its address, and its limit.
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const inside = createInside(world);
const visit = openConsole(world);

const workspacePath = `/api/organizations/${world.workspaceId}`;
const usagePath = `/w/${world.workspaceId}/usage`;
const work: string[] = [];

interface Used {
  project?: string;
  member?: "owner" | "member";
  model?: string;
  /** A session; left out, the usage is of a Deploy. */
  session?: string;
  at?: number;
  usd: number | null;
}

/** Records usage, as turns that cost this would. */
async function addUsage(...used: Used[]): Promise<void> {
  for (const { member = "owner", model = "zai:glm__high", at = Date.now(), ...one } of used) {
    const { project = world.projectId, session, usd } = one;
    const id = `used-${work.length}`;
    const payer = usd === null ? world.users[member].id : null;
    work.push(id);
    await inside.sql(
      `INSERT INTO usage (work_id, day, workspace_id, project_id, owner_type, owner_id, member_id, model, payer_id, calls,
       input_tokens, cached_tokens, output_tokens, nano_usd, at) VALUES (?1, ?2, ?3, ?4, ?10, ?11, ?5, ?6, ?7, 3, 120000, 900000, 4000, ?8, ?9)`,
      ...[id, new Date(at).toISOString().slice(0, 10), world.workspaceId, project, world.users[member].id, model],
      ...[payer, usd === null ? null : Math.round(usd * 1e9), at],
      ...[session ? "session" : "deploy", session ?? "d"],
    );
  }
}

/** A day that no other test has used anything on. */
const quietDay = "2026-03-05";
const onQuietDay = Date.parse(`${quietDay}T12:00:00Z`);

/** What a person's report of this month, or of the quiet day, says. */
async function readCost(day: string | null, caller = owner): Promise<string> {
  const { total } = (await caller.get(`${workspacePath}/usage${day ? `?from=${day}&to=${day}` : ""}`)).body.data;
  return `$${total.costUsd.toFixed(2)}`;
}

/** Cents of a text like `$1,234.50`; zero for what is below a cent, and for nothing to pay. */
const toCents = (text: string): number =>
  /^[<–]/.test(text) ? 0 : Math.round(Number(text.replace(/[$,]/g, "")) * 100);

beforeAll(async () => {
  await addUsage(
    { usd: 0.104, model: "anthropic:opus__high", at: onQuietDay },
    { usd: 0.2, member: "member", at: onQuietDay },
    { usd: null, model: "kimi:kimi__high", at: onQuietDay },
    { usd: 1.256 },
    { usd: 0.333_333_333, member: "member" },
    { usd: 0.104, project: world.siblingProjectId, model: "anthropic:opus__high" },
    { usd: null, project: world.previewProjectId, member: "member", model: "kimi:kimi__high" },
  );
});

afterAll(async () => {
  for (const id of work) await inside.sql("DELETE FROM usage WHERE work_id = ?1", id);
  await owner.patch(workspacePath, { spendLimitUsd: null });
});

test("the table adds up to what the service counts, in every grouping, and each view is a link", async () => {
  const { page, context } = await visit(usagePath, "owner");
  for (const by of ["project", "member", "model", "session", "cron"]) {
    await page.getByRole("combobox", { name: "Groups" }).selectOption(by);
    const { groups, total } = (await owner.get(`${workspacePath}/usage?by=${by}`)).body.data;
    await page.getByRole("group", { name: `Cost by ${by}` }).waitFor();
    const rows = page.getByRole("table").locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(groups.length);
    const costs = await page.getByRole("table").locator("tbody td:last-child").allTextContents();
    const rounding = await page.locator("tfoot tr", { hasText: "Rounding" }).locator("td:last-child").allTextContents();
    const shown = [...costs, ...rounding].map(toCents);
    expect(shown.reduce((sum, cents) => sum + cents, 0)).toBe(Math.round(total.costUsd * 100));
    expect(toCents((await page.locator("tfoot tr:last-child td:last-child").textContent()) ?? "")).toBe(
      Math.round(total.costUsd * 100),
    );
    await expectFit(page);
  }
  await page.getByText("Turns include commands, drafts of commit messages, and generated titles.").waitFor();
  await page.getByRole("combobox", { name: "Days" }).selectOption("30-days");
  await page.getByRole("combobox", { name: "Bars" }).selectOption("tokens");
  expect(new URL(page.url()).search).toBe("?range=30-days&by=cron&show=tokens");
  await page.reload();
  await page.getByRole("group", { name: "Tokens by cron" }).waitFor();
  await expect.poll(() => page.getByRole("combobox", { name: "Days" }).inputValue()).toBe("30-days");
  await context.close();
});

test("a session is in the table and among the bars, and both lead to its page", async () => {
  const day = "2026-02-20";
  const session = await owner.createSession({ title: "Costs something" });
  await addUsage({ usd: 0.1, session: session.id, at: Date.parse(`${day}T12:00:00Z`) });
  const { page, context } = await visit(`${usagePath}?by=session&from=${day}&to=${day}`, "owner");
  await page.getByRole("table").getByRole("link", { name: "Costs something" }).click();
  await page.waitForURL(`**/s/${session.id}`);
  await page.goBack();
  const bar = page.getByRole("link", { name: /^Costs something: .*1 turn/ });
  await bar.focus();
  await expectFit(page);
  await bar.press("Enter");
  await page.waitForURL(`**/s/${session.id}`);
  await context.close();
});

test("the days of a report are columns, which the keyboard reads", async () => {
  const { page, context } = await visit(`${usagePath}?from=2026-03-03&to=2026-03-07`, "owner");
  const columns = page.getByRole("group", { name: "Cost by day" }).getByRole("img");
  await columns.last().focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  const { series } = (await owner.get(`${workspacePath}/usage?from=2026-03-03&to=2026-03-07&interval=day`)).body.data;
  const costs = series.map(({ total: { costUsd } }: { total: { costUsd: number | null } }) =>
    costUsd === null ? "–" : `$${costUsd.toFixed(2)}`,
  );
  expect(costs).toEqual(["–", "–", await readCost(quietDay), "–", "–"]);
  await expect.poll(() => columns.count()).toBe(5);
  await expect
    .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
    .toMatch(/^Mar 5: \$0\.30, 3 turns, /);
  await expectFit(page);
  await context.close();
});

test("the keyboard and the pointer read the numbers of a bar", async () => {
  const { page, context } = await visit(`${usagePath}?by=model&from=${quietDay}&to=${quietDay}`, "owner");
  const bars = page.getByRole("group", { name: "Cost by model" }).getByRole("img");
  // The names of models are read after the report.
  await page.getByRole("img", { name: /^Claude Opus 5.5/ }).waitFor();
  await bars.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect
    .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
    .toMatch(/^Claude Opus 5.5.*: \$0\.10, 1 turn, 3 model calls, 120,000 tokens in, 900,000 cached, 4,000 out$/);
  const details = page.getByText("120,000 tokens in");
  await details.waitFor();
  await page.keyboard.press("Escape");
  await details.waitFor({ state: "detached" });
  await bars.last().hover();
  await page.getByText("nothing to pay").waitFor();
  await context.close();
});

test("days of a person's own choice are those of the workspace's clocks", async () => {
  const { timezone } = (await owner.get(workspacePath)).body.data;
  await owner.put(`${workspacePath}/timezone`, { timezone: "Asia/Tokyo" });
  await addUsage(
    { usd: 7, at: Date.parse("2026-02-09T14:59:59Z") },
    { usd: 5, at: Date.parse("2026-02-09T15:00:00Z") },
    { usd: 3, at: Date.parse("2026-02-10T14:59:59Z") },
  );
  const { page, context } = await visit(`${usagePath}?from=2026-02-10&to=2026-02-10`, "owner");
  const total = page.locator("tfoot tr:last-child td:last-child");
  await total.filter({ hasText: "$8.00" }).waitFor();
  await page.getByText("Feb 10, 2026, in the time of Asia/Tokyo").waitFor();
  await page.getByLabel("First day").fill("2026-02-11");
  await page.getByText("The first day is after the last.").waitFor();
  await page.getByLabel("First day").fill("2026-02-09");
  await page.getByLabel("First day").press("Enter");
  await total.filter({ hasText: "$15.00" }).waitFor();
  await expectFit(page);
  await page.getByLabel("Last day").fill("2026-02-08");
  await page.getByLabel("First day").fill("2026-02-08");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByText("No model was called in these days.").waitFor();
  await expectFit(page);
  await context.close();
  await owner.put(`${workspacePath}/timezone`, { timezone });
});

test("an admin sets, lowers and removes the limit; what is refused stays typed", async () => {
  const readLimit = async () => (await owner.get(workspacePath)).body.data.spendLimitUsd;
  const spent = await readCost(null);
  const { page, context } = await visit(usagePath, "admin");
  const limit = page.getByRole("region", { name: "Spend limit" });
  await limit.getByText("There is no limit.").waitFor();
  const field = limit.getByLabel("US dollars per month");
  await field.fill("1.234");
  await limit.getByText("Type an amount in US dollars").waitFor();
  await field.fill("50");
  await limit.getByRole("button", { name: "Set the limit" }).click();
  await limit.getByRole("status").getByText("Saved").waitFor();
  await expect.poll(() => field.inputValue()).toBe("50.00");
  await limit.getByText(`${spent} of $50.00 is spent this month.`).waitFor();
  expect(await readLimit()).toBe(50);
  await expectFit(page);

  await field.fill("0.50");
  await limit.getByRole("button", { name: "Change the limit" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByText(`${spent} is spent this month already.`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect([await readLimit(), await field.inputValue()]).toEqual([50, "0.50"]);
  await page.route("**/api/organizations/*", async (route) => {
    if (route.request().method() !== "PATCH") return await route.fallback();
    await route.fulfill({ status: 403, json: { error: "You may not do this.", code: "FORBIDDEN" } });
  });
  await limit.getByRole("button", { name: "Change the limit" }).click();
  await dialog.getByRole("button", { name: "Set it" }).click();
  await limit.getByRole("alert").getByText("You may not do this.").waitFor();
  await expect.poll(() => field.inputValue()).toBe("0.50");
  await page.unroute("**/api/organizations/*");
  await limit.getByRole("button", { name: "Change the limit" }).click();
  await dialog.getByRole("button", { name: "Set it" }).click();
  await limit.getByText("the limit is reached").waitFor();
  expect(await readLimit()).toBe(0.5);
  await expectFit(page);

  await limit.getByRole("button", { name: "Remove the limit" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await limit.getByText("There is no limit.").waitFor();
  expect(await readLimit()).toBeNull();
  await context.close();
});

test("a member sees their own turns and changes nothing, also after some time as an admin; an outsider sees nothing", async () => {
  const member = await visit(`${usagePath}?from=${quietDay}&to=${quietDay}`, "member");
  expect(await readCost(quietDay, createClient(world, "member"))).toBe("$0.20");
  await member.page.locator("tfoot tr:last-child td:last-child").filter({ hasText: "$0.20" }).waitFor();
  await member.page.getByText("The owner and admins see everybody's turns.").waitFor();
  expect(await member.page.getByRole("option", { name: "By member" }).count()).toBe(0);
  expect(await member.page.getByLabel("US dollars per month").count()).toBe(0);
  await member.page.getByText("There is no limit. The owner and admins see what is spent").waitFor();
  await expectFit(member.page);
  const boss = await signIn(world, "owner");
  for (const [role, cost] of [
    ["admin", await readCost(quietDay)],
    ["member", "$0.20"],
  ] as const) {
    await boss.call("PATCH", `${workspacePath}/members/${world.users.member.id}`, { role });
    await member.page.locator("tfoot tr:last-child td:last-child").filter({ hasText: cost }).waitFor();
  }
  await member.context.close();
  const outsider = await visit(usagePath, "outsider");
  await outsider.page.getByRole("alert").getByText("You are not a member of this workspace.").waitFor();
  expect(await outsider.page.content()).not.toContain("Demo app");
  await expectFit(outsider.page);
  await outsider.context.close();
});

test("the facts of a session say whose turns they count", async () => {
  const session = await owner.createSession({ title: "Shared" });
  await addUsage({ session: session.id, usd: 0.4 }, { session: session.id, member: "member", usd: 0.1 });
  for (const [person, name, sum] of [
    ["owner", "Used", "$0.50"],
    ["member", "Used by you", "$0.10"],
  ] as const) {
    const { page, context } = await visit(`/s/${session.id}?panel=info`, person);
    const facts = page.getByRole("region", { name: "Facts" });
    await facts.getByText(name, { exact: true }).waitFor();
    await facts.getByText(sum).waitFor();
    await expectFit(page);
    await context.close();
  }
});

test("the palette leads to the page", async () => {
  const { page, context } = await visit("/", "owner");
  await page.getByRole("navigation").first().waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Find a session or do something" }).fill("usage");
  await page
    .getByRole("option", { name: /: usage$/ })
    .first()
    .click();
  await page.waitForURL("**/w/*/usage");
  await page.getByRole("heading", { name: "Spend limit" }).waitFor();
  await context.close();
});

test.each([
  ["owner", "Raise the limit"],
  ["member", "See the limit"],
] as const)("a message of the %s at the spend limit leads to the usage: %s", async (person, word) => {
  const session = await owner.createSession({ title: "Spent" });
  const { page, context } = await visit(`/s/${session.id}`, person);
  const error = "The workspace has reached its limit. Raise it with PATCH /api/organizations/{workspaceId}.";
  await context.route(`**${session.path}/jobs/chat`, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 402, json: { code: "CREDIT_LIMIT_REACHED", error } })
      : route.continue(),
  );
  await page.getByLabel("Message to the agent").fill("More.");
  await page.getByLabel("Message to the agent").press("Enter");
  const link = page.getByRole("alert").getByRole("link", { name: word });
  await link.waitFor();
  expect(await page.getByRole("alert").textContent()).not.toContain("PATCH");
  await expect
    .poll(() => page.getByRole("alert").getByText("Ask an owner or admin").count())
    .toBe(person === "member" ? 1 : 0);
  await link.click();
  await page.waitForURL(`**${usagePath}`);
  await context.close();
  await owner.delete(session.path);
});
