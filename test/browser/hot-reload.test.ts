// Hot reload: the agent's changes appear in an open page immediately, without a reload, in a tab
// and in the frame of a share page.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { type OpenedBrowser, startBrowser } from "../support/chromium.ts";
import { createClient } from "../support/client.ts";
import { endService } from "../support/probed-preview.ts";
import { until } from "../support/until.ts";

const world = previewWorld();
let opened: OpenedBrowser;
beforeAll(async () => {
  opened = await startBrowser();
});
afterAll(async () => opened?.close());

const heading = (text: string) => ({ write: { path: "heading.js", content: `export const heading = "${text}";` } });

test("a change of the agent appears in an open page immediately, and typed text stays", async () => {
  const { projectId } = world;
  const owner = createClient(world);
  const session = await owner.createSession({ title: "Hot" });
  const app = await readFile(join(import.meta.dirname, "../support/hot-app.js"), "utf8");
  await owner.run(session.path, heading("Cold"), { write: { path: "server.js", content: app } });
  await endService(world, session.id);
  const preview = `/api/projects/${projectId}/preview`;
  const { url: shared } = (await owner.post(`${preview}/share`, { sessionId: session.id })).body.data.share;
  const url = await until("the preview", async () => {
    const { frontendUrls } = (await owner.get(`${preview}?sessionId=${session.id}`)).body.data;
    return frontendUrls.web;
  });

  const context = await opened.browser.newContext();
  const tab = await context.newPage();
  await tab.goto(url);
  const sharePage = await context.newPage();
  await sharePage.goto(shared);
  const views = [tab.locator("html"), sharePage.frameLocator("iframe").locator("html")];
  for (const view of views) {
    await view.getByRole("heading", { name: "Cold" }).waitFor({ timeout: 60_000 });
    await view.getByText("connected").waitFor();
    await view.getByLabel("Note").fill("typed before");
  }
  await owner.run(session.path, heading("Hot"));
  for (const view of views) {
    await view.getByRole("heading", { name: "Hot" }).waitFor({ timeout: 60_000 });
    await expect.poll(() => view.getByLabel("Note").inputValue()).toBe("typed before");
  }
  await context.close();
});
