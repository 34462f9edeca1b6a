// A preview in the frames and forms of pages elsewhere, in a real browser whose visitor has that
// preview open: what they load and send does not reach it, unless the frame's address carries an
// Auth Token, and then all works within it.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { type OpenedBrowser, startBrowser } from "../support/chromium.ts";
import { createClient } from "../support/client.ts";
import { endService, type OpenedPreview, openPreview } from "../support/probed-preview.ts";
import { until } from "../support/until.ts";

const world = previewWorld();
let opened: OpenedBrowser;
const owner = createClient(world);
let letterbox: OpenedPreview;
let hostile: OpenedPreview;
/** Serves any page of a site that has nothing to do with previews. */
let site: Server;
const pages = new Map<string, string>();
beforeAll(async () => {
  site = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(pages.get(request.url ?? ""));
  });
  await new Promise<void>((listening) => site.listen(0, "127.0.0.1", listening));
  opened = await startBrowser();
  const content = await readFile(join(import.meta.dirname, "../support/letterbox-app.js"), "utf8");
  const session = await owner.createSession({ title: "Letterbox" });
  await owner.run(session.path, { write: { path: "server.js", content } });
  await endService(world, session.id);
  letterbox = await openPreview(world, session.id);
  await until("the letterbox", async () => (await letterbox.get("/", inside())).text.includes("Letterbox"));
  const nextDoor = await owner.createSession({ title: "Next door" });
  const shows = `import { createServer } from "node:http";
    createServer((request, response) => {
      const html = new URL(request.url, "http://here").searchParams.get("html");
      response.writeHead(200, { "content-type": "text/html" }).end(html ?? "hostile");
    }).listen(Number(process.env.PORT), "0.0.0.0");`;
  await owner.run(nextDoor.path, { write: { path: "server.js", content: shows } });
  await endService(world, nextDoor.id);
  hostile = await openPreview(world, nextDoor.id);
  await until("the neighbour", async () => (await hostile.get("/", { cookie: hostile.cookie })).text === "hostile");
});
afterAll(async () => {
  site?.close();
  await opened?.close();
});

const inside = () => ({ cookie: letterbox.cookie });
const toAddress = ({ host, token }: OpenedPreview, path = "/") => `http://${host}${path}?svc_auth=${token}`;
const kept = async (): Promise<{ letters: string[]; visits: string[] }> =>
  JSON.parse((await letterbox.get("/kept", inside())).text);

/** A browser whose visitor has the letterbox open in a tab, and another page in a second one. */
async function visitor(url: string) {
  const context = await opened.browser.newContext();
  const first = await context.newPage();
  await first.goto(toAddress(letterbox, "/open"));
  await first.getByText("Letterbox at /open").waitFor();
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  return { context, page };
}

/** The address of a page of another site. */
function onSite(name: string, content: string): string {
  const path = `/${pages.size}`;
  pages.set(path, content);
  return `http://${name}.localhost:${(site.address() as AddressInfo).port}${path}`;
}

const refusal = "This preview needs a fresh link";

test.each<[string, (content: string) => string]>([
  ["a neighbouring preview", (content) => `${toAddress(hostile)}&html=${encodeURIComponent(content)}`],
  ["another site", (content) => onSite("evil", content)],
])("%s frames nothing of it and sends nothing to it, with a referrer or without", async (_, serve) => {
  const target = `http://${letterbox.host}`;
  const frames = ["no-referrer", "unsafe-url"].flatMap((policy) => [
    `<iframe referrerpolicy="${policy}" src="${target}/framed"></iframe>`,
    `<iframe referrerpolicy="${policy}" sandbox="allow-scripts" src="${target}/framed"></iframe>`,
  ]);
  const form = (name: string) =>
    `<form method="post" action="${target}/letters" target="${name}"><input name="text" value="forged"></form>`;
  const content = `<!doctype html>${frames.join("")}<embed src="${target}/framed"><object data="${target}/framed"></object>
    <iframe name="posted"></iframe>${form("posted")}${form("_blank")}<a href="${target}/linked">Linked</a>`;
  const { context, page } = await visitor(serve(content));
  const popup = context.waitForEvent("page");
  await page.evaluate("for (const form of document.forms) form.submit()");
  const posted = await popup;
  expect(JSON.parse((await posted.textContent("body")) ?? "").code).toBe("PREVIEW_REFUSED");
  await page.frameLocator('iframe[name="posted"]').getByText("PREVIEW_REFUSED").waitFor();
  for (const at of frames.keys()) await page.frameLocator(`iframe >> nth=${at}`).getByText(refusal).waitFor();
  const seen = await kept();
  expect(seen.letters).toEqual([]);
  expect(seen.visits.filter((visit) => /framed|letters/.test(visit))).toEqual([]);
  // A tab of its own is another matter: nothing is laid over it.
  await page.getByText("Linked").click();
  await page.getByText("Letterbox at /linked").waitFor();
  await context.close();
});

test.each(["", 'referrerpolicy="no-referrer"', 'sandbox="allow-scripts allow-same-origin allow-forms"'])(
  "a page can frame the preview with an Auth Token, and everything in it keeps working: %s",
  async (attributes) => {
    const content = `<!doctype html><iframe ${attributes} src="${toAddress(letterbox)}"></iframe>`;
    const { context, page } = await visitor(onSite("client", content));
    const frame = page.frameLocator("iframe");
    await frame.getByText("Letterbox at /").waitFor();
    const address = () => page.frames()[1]?.url();
    expect(address()).toBe(`http://${letterbox.host}/`);
    await frame.getByText("Away").click();
    await frame.getByText("Letterbox at /there").waitFor();
    const before = (await kept()).letters.length;
    await frame.getByText("Send").click();
    await frame.getByText("Letterbox at /thanks").waitFor();
    expect((await kept()).letters.length).toBe(before + 1);
    const thanked = async () => (await kept()).visits.filter((visit) => visit === "GET /thanks").length;
    const times = await thanked();
    await frame.getByText("Again").click();
    await expect.poll(thanked).toBe(times + 1);
    await frame.getByText("Letterbox at /thanks").waitFor();
    await page.evaluate("history.back()");
    await frame.getByText("Letterbox at /there").waitFor();
    await page.reload();
    await frame.getByText("Letterbox at /").waitFor();
    await context.close();
  },
);
