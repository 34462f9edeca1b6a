// The triggers of a project in a real browser: admins set them, members read them.

import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { copyProject } from "../support/copied-project.ts";
import { usualTrigger } from "../support/trigger.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const { sql } = createInside(world);
const owner = createClient(world);
const cleo = createCollaborator(world);
const visit = openConsole(world);

async function addCopy(): Promise<{ id: string; path: string }> {
  const id = await copyProject(sql, { projectId: world.projectId, userId: world.users.owner.id });
  return { id, path: `/api/projects/${id}/triggers` };
}

test("an admin adds triggers, and one that somebody else changed meanwhile is not overwritten unasked", async () => {
  const { id, path } = await addCopy();
  const { page, context } = await visit(`/p/${id}/triggers`, "admin");
  await page.getByText("There are no triggers.").waitFor();
  await page.getByText("No trigger has run.").waitFor();
  await page.getByRole("button", { name: "Add one for failed checks" }).click();
  await expect.poll(() => page.locator("input:focus").inputValue()).toBe("Fix failed checks");
  await page.getByLabel("A session Under Review").selectOption("resume");
  await page.getByRole("button", { name: /Only some branches/ }).click();
  await page.getByRole("textbox", { name: /^Checks/ }).fill("test*\nlint");
  await page.getByLabel("Attempts").fill("0");
  await page
    .getByRole("alert")
    .getByText(/attempts must be a number/)
    .waitFor();
  await page.getByLabel("Attempts").fill("2");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("region", { name: "Setup" }).waitFor();
  await page.getByRole("link", { name: "Triggers" }).click();
  await expect.poll(() => page.getByLabel("Attempts").inputValue()).toBe("2");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved").waitFor();
  const [saved] = (await owner.get(path)).body.data.triggers;
  expect(saved).toEqual({
    ...usualTrigger,
    ...{ id: expect.any(String), name: "Fix failed checks", on: "checks_failed", lacks: [] },
    when: { ...usualTrigger.when, checks: ["test*", "lint"] },
    do: { ...usualTrigger.do, underReview: "resume" },
    caps: { ...usualTrigger.caps, attempts: 2 },
  });
  await expectFit(page);

  const theirs = await owner.put(path, { version: 1, triggers: [{ ...saved, name: "Theirs" }] });
  expect(theirs.status).toBe(200);
  await page.getByLabel("Name of the trigger").fill("Mine");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page
    .getByRole("alert")
    .getByText(/Theirs: Checks of a pull request fail/)
    .waitFor();
  await expect.poll(() => page.getByLabel("Name of the trigger").inputValue()).toBe("Mine");
  await expectFit(page);
  await page.getByRole("button", { name: "Save mine instead" }).click();
  await page.getByText("Saved").waitFor();
  expect((await owner.get(path)).body.data).toMatchObject({ version: 3, triggers: [{ id: saved.id, name: "Mine" }] });
  await context.close();
});

test("an admin makes the key of a trigger that another program calls", async () => {
  const { id, path } = await addCopy();
  const { page, context } = await visit(`/p/${id}/triggers`, "admin");
  await page.getByRole("button", { name: "Add one for a program" }).click();
  await page.getByLabel("What it does").selectOption("file");
  await page.getByLabel("Place").fill("incident.id");
  await page.getByLabel("Conditions").fill("incident.level high");
  await page
    .getByRole("alert")
    .getByText(/invalid condition: incident.level high/)
    .waitFor();
  await page.getByLabel("Conditions").fill("incident.id exists\nincident.level in high, 1");
  await page.getByLabel("Priority of a new session").selectOption("Urgent");
  await page.getByLabel("Model").selectOption("zai:glm__low");
  await page.getByLabel("US dollars per session").fill("0.5");
  await page.getByLabel("US dollars per day").fill("0");
  await page
    .getByRole("alert")
    .getByText(/a limit must be at least 0.01 US dollars/)
    .waitFor();
  await page.getByLabel("US dollars per day").fill("0.02");
  await page.getByText("Save it first, then make its key and its secret.").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Make a key and a secret" }).click();
  const key = (await page.locator("code", { hasText: "svc_trg_" }).textContent()) ?? "";
  await expectFit(page);
  const [saved] = (await owner.get(path)).body.data.triggers;
  const { id: triggerId, when } = saved;
  expect(saved).toMatchObject({
    ...{ do: { priority: "urgent", model: "zai:glm__low", sessionLimitUsd: 0.5 }, caps: { perDayUsd: 0.02 } },
  });
  expect(when.json).toEqual([
    { path: "incident.id", exists: true },
    { path: "incident.level", in: ["high", 1] },
  ]);
  for (const level of ["high", "low"]) {
    const called = await fetch(`${world.baseUrl}/api/triggers/${triggerId}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ incident: { id: "INC-7", level } }),
    });
    expect(called.status).toBe(202);
  }
  await page.reload();
  await page.getByText("Its filters do not match.").waitFor();
  await page.getByText("✓ filed").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Session", exact: true }).click();
  await page.waitForURL("**/s/*");
  await context.close();
});

test("an admin adds a trigger for assigned issues of some authors", async () => {
  const { id, path } = await addCopy();
  const { page, context } = await visit(`/p/${id}/triggers`, "admin");
  await page.getByRole("button", { name: "Add one for assigned issues" }).click();
  await page.getByRole("button", { name: "Only some authors or assignees" }).click();
  await page.getByLabel("Assignees").fill("mending-bot");
  await page.getByRole("checkbox", { name: "Collaborators" }).check();
  await page.getByRole("checkbox", { name: "Owners of the repository" }).check();
  await page.getByLabel(/^Comment/).selectOption("Also the agent’s answer");
  await expectFit(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved").waitFor();
  const when = { assignees: ["mending-bot"], associations: ["owner", "collaborator"] };
  expect((await owner.get(path)).body.data.triggers).toMatchObject([
    { on: "assigned", when, do: { action: "start" }, answer: "text" },
  ]);
  await page.getByLabel("When").selectOption("Checks of a pull request fail");
  await page.getByRole("checkbox", { name: "Comment when the last attempt has failed" }).uncheck();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const saved = async () => (await owner.get(path)).body.data.triggers[0];
  await expect.poll(saved).toMatchObject({ on: "checks_failed", answer: "none", when: { assignees: [] } });
  await context.close();
});

test("a person tries the triggers with a sample and with a payload, and reads what one lacks", async () => {
  const { id, path } = await addCopy();
  await cleo.call("PUT", "/installation", { withheld: ["issues"] });
  const triggers = [
    { name: "Issues", on: "label", do: { action: "start" } },
    { name: "Incidents", on: "http", when: { place: "incident.id" }, do: { action: "file" } },
  ];
  expect((await owner.put(path, { version: 0, triggers })).status).toBe(200);
  const { page, context } = await visit(`/p/${id}/triggers`, "admin");
  await page
    .getByText("It does not run yet, or cannot answer, because the app lacks the permission Issues: Read and write.")
    .waitFor();
  await cleo.call("PUT", "/installation", {});
  const tried = page.getByRole("region", { name: "Try it" });
  const results = tried.getByRole("list", { name: "What the triggers would do" });
  await tried.getByRole("button", { name: "Try the triggers" }).click();
  await results.getByText("It is for another event.").waitFor();
  // The sample has the account that the person has connected, if there is one.
  const sample = JSON.parse(await tried.getByLabel("Payload").inputValue());
  const sender = { ...sample.sender, id: 0, login: "sam-stranger" };
  await tried.getByLabel("Payload").fill(JSON.stringify({ ...sample, sender }));
  await tried.getByRole("button", { name: "Try the triggers" }).click();
  await results.getByText("The account is of nobody who may ask").waitFor();
  await tried.getByLabel("Event").selectOption("http");
  await tried.getByRole("button", { name: "Try the triggers" }).click();
  await results.getByText("Puts a session into the Backlog").waitFor();
  await expectFit(page);
  await tried.getByLabel("Payload").fill("{");
  await tried.getByText("The payload is not JSON.").waitFor();
  await tried.getByLabel("Payload").fill('{ "incident": {} }');
  await tried.getByRole("button", { name: "Try the triggers" }).click();
  await results.getByText("The body has no text or number at its place or its cause.").waitFor();
  await page.getByText("No trigger has run.").waitFor();
  await context.close();
});

test("a member reads the triggers and their runs, and can change none", async () => {
  const { id, path } = await addCopy();
  const put = await owner.put(path, { version: 0, triggers: [{ name: "Answer reviews", on: "review" }] });
  const [{ id: triggerId }] = put.body.data.triggers;
  const session = await owner.post(`/api/projects/${id}/chat-sessions`, { title: "Mended" });
  const now = Date.now();
  for (const [run, outcome, reason] of [
    ["01a202e7-0000-7000-8000-000000000001", "skipped", "cap_attempts"],
    ["01a202e7-0000-7000-8000-000000000002", "sent", null],
  ])
    await sql(
      "INSERT INTO trigger_runs (id, project_id, trigger_id, trigger_name, session_id, cause, url, outcome, reason, created_at) VALUES (?1, ?2, ?3, 'Answer reviews', ?4, ?1, null, ?5, ?6, ?7)",
      ...[run, id, triggerId, session.body.data.session.id, outcome, reason, now],
    );
  const { page, context } = await visit(`/p/${id}/triggers`, "member");
  await page.getByText("Only owners and admins set triggers.").waitFor();
  await expect.poll(() => page.getByLabel("Name of the trigger").isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
  await page.getByText("The attempts of the session are used up.").waitFor();
  await expectFit(page);
  await page.getByRole("link", { name: "Session", exact: true }).first().click();
  await page.getByRole("heading", { level: 1, name: "Mended" }).waitFor();
  await context.close();
});
