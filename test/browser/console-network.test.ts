// The network of a project in a real browser: its mode, its hosts, its secrets and who sets what.
import { expect, test } from "vitest";
import { findIsolation } from "../../practice/sandbox-host/isolation.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { copyProject } from "../support/copied-project.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const { sql } = createInside(world);
const owner = createClient(world);
const visit = openConsole(world);
const { holdsNetworks } = await findIsolation();

async function addCopy(): Promise<{ id: string; path: string }> {
  const id = await copyProject(sql, { projectId: world.projectId, userId: world.users.owner.id });
  return { id, path: `/api/projects/${id}/network` };
}

test("a member lists presets and hosts, and a wrong host is named where it was typed", async () => {
  const { id, path } = await addCopy();
  const { page, context } = await visit(`/p/${id}`, "member");
  await page.getByRole("link", { name: "Network" }).click();
  const form = page.getByRole("region", { name: "Network", exact: true });
  await form.getByLabel("Listed hosts").check();
  await form.getByLabel("npm", { exact: true }).check();
  const hosts = form.getByRole("textbox", { name: /^Hosts/ });
  await hosts.fill("https://example.com/path\n*.com");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await form.getByRole("alert").getByText("“*.com”").waitFor();
  await expect.poll(() => hosts.inputValue()).toContain("*.com");
  await expectFit(page);
  await hosts.fill("example.com, *.example.org");
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("region", { name: "Main preview" }).waitFor();
  await page.getByRole("link", { name: "Network" }).click();
  await expect.poll(() => hosts.inputValue()).toBe("example.com, *.example.org");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  const network = { mode: "hosts", presets: ["npm"], hosts: ["example.com", "*.example.org"], strict: false };
  if (holdsNetworks) {
    await form.getByText("Saved").waitFor();
    expect((await owner.get(path)).body.data.network).toEqual(network);
  } else {
    await form
      .getByRole("alert")
      .getByText(/Nothing here enforces/)
      .waitFor();
    await expect.poll(() => hosts.inputValue()).toBe("example.com, *.example.org");
  }
  await page.getByText("Only owners and admins set and delete network secrets.").waitFor();
  expect(await page.getByRole("button", { name: "Add a secret" }).count()).toBe(0);
  await expectFit(page);
  await context.close();
});

test("a proposal of the deploy agent is put into the form, and saved", async () => {
  const { id, path } = await addCopy();
  const proposal = { mode: "open", presets: [], hosts: [], strict: false };
  await sql("UPDATE projects SET network_proposal = ?1 WHERE id = ?2", JSON.stringify(proposal), id);
  const { page, context } = await visit(`/p/${id}/network`, "owner");
  await page.getByText("The deploy agent proposes this network.").waitFor();
  await expectFit(page);
  await page.getByRole("button", { name: "Copy it into the form" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The deploy agent proposes this network.").waitFor({ state: "detached" });
  expect((await owner.get(path)).body.data.proposal).toBe(null);
  await context.close();
});

test("an admin sets a secret, whose refusal loses nothing that was typed", async () => {
  const { id } = await addCopy();
  const { page, context } = await visit(`/p/${id}/network`, "admin");
  await page.getByRole("button", { name: "Add a secret" }).click();
  const form = page.getByRole("form", { name: "Network secret" });
  await form.getByLabel("Name of the secret").fill("API_KEY");
  await form.getByLabel("Value").fill("short");
  await form.getByText("A value has 8 to 4,096 visible characters.").waitFor();
  await form.getByLabel("Value").fill("the-whole-value");
  await form.getByLabel("Only to these hosts").fill("api.example.com");
  await form.getByRole("button", { name: "Save the secret" }).click();
  // Nothing in a test opens https.
  await page
    .getByRole("alert")
    .getByText(/Nothing here reads the requests/)
    .waitFor();
  await expect.poll(() => form.getByLabel("Value").inputValue()).toBe("the-whole-value");
  await expectFit(page);
  await context.close();
});

test("a refused host is added from what was seen, and a secret is replaced or deleted", async () => {
  const { id, path } = await addCopy();
  const { page, context } = await visit(`/p/${id}`, "admin");
  const { data } = (await owner.get(path)).body;
  // Whether a sandbox is held to a network, and a secret can be set, depends on the machine.
  const seen = [
    { host: "example.com", port: 443, isAllowed: true, count: 1 },
    { host: "registry.example.org", port: 443, isAllowed: false, count: 3 },
  ];
  const json = { data: { ...data, seen, outdated: ["m1"] } };
  await page.route(`**${path}`, (route) =>
    route.request().method() === "GET" ? route.fulfill({ json }) : route.continue(),
  );
  const secret = {
    ...{ name: "API_KEY", onlyTo: ["api.example.com"], as: "basic", placeholder: "svc_held_1" },
    ...{ createdAt: new Date().toISOString(), updatedAt: new Date().toISOString() },
  };
  await page.route(`**${path}/secrets`, (route) =>
    route.fulfill({ json: { data: [secret], meta: { isEnforced: true } } }),
  );
  await page.getByRole("link", { name: "Network" }).click();
  await page.getByText("One sandbox runs with an earlier network").waitFor();
  const recent = page.getByRole("region", { name: "Seen recently" });
  await expect.poll(() => recent.getByRole("listitem").first().textContent()).toContain("registry.example.org");
  await recent.getByRole("button", { name: "Add registry.example.org" }).click();
  await expect.poll(() => page.getByLabel("Listed hosts").isChecked()).toBe(true);
  await expect.poll(() => page.getByRole("textbox", { name: /^Hosts/ }).inputValue()).toBe("registry.example.org");
  await expectFit(page);
  await page.getByRole("button", { name: "Replace API_KEY" }).click();
  await expect.poll(() => page.getByLabel("Only to these hosts").inputValue()).toBe("api.example.com");
  await expect.poll(() => page.getByLabel("Where requests contain it").inputValue()).toBe("basic");
  await page.getByRole("form", { name: "Network secret" }).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Delete API_KEY" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("region", { name: "Network secrets" }).getByRole("alert").waitFor();
  await expectFit(page);
  await context.close();
});

test("an outsider gets a sentence and no data", async () => {
  const { id } = await addCopy();
  for (const part of ["network", "triggers"]) {
    const { page, context } = await visit(`/p/${id}/${part}`, "outsider");
    await page.getByRole("alert").getByText("You are not a member of this workspace.").waitFor();
    await context.close();
  }
});
