// A hostile app in a preview, framed by the page of its link, in the browser of somebody who is
// signed in: it gets nothing.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionCookie } from "../../src/key/credential.ts";
import { previewWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
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

test("a hostile app in a preview can read nothing outside of it, and cannot act as its visitor", async () => {
  const { baseUrl, projectId } = world;
  const owner = createClient(world);
  const hostile = await readFile(join(import.meta.dirname, "../support/hostile-page.js"), "utf8");
  const [session, other] = await Promise.all([
    owner.createSession({ title: "Trojan horse" }),
    owner.createSession({ title: "Next door" }),
  ]);
  const preview = `/api/projects/${projectId}/preview`;
  const { url, slug } = (await owner.post(`${preview}/share`, { sessionId: session.id })).body.data.share;
  const readAddress = (sessionId: string) =>
    until("the preview", async () => {
      const { frontendUrls } = (await owner.get(`${preview}?sessionId=${sessionId}`)).body.data;
      return frontendUrls.web && new URL(frontendUrls.web);
    });
  const [own, neighbour] = [await readAddress(session.id), await readAddress(other.id)];
  // The neighbour's address, opened with a token of the hostile one.
  const content = hostile
    .replace("SERVICE_URL", baseUrl)
    .replace("NEIGHBOUR_URL", `${neighbour.origin}/${own.search}`)
    .replace("SHARE_SLUG", slug);
  await owner.run(session.path, { write: { path: "server.js", content } });
  await endService(world, session.id);

  const person = await signIn(world, "owner");
  const keysBefore = (await person.call("GET", "/api/user/api-keys")).body;
  const context = await opened.browser.newContext();
  const value = person.cookie.slice(sessionCookie.length + 1);
  await context.addCookies([
    { name: sessionCookie, value, domain: "localhost", path: "/", httpOnly: true, secure: true, sameSite: "Lax" },
  ]);
  const page = await context.newPage();
  // The person is signed in as far as the service's own pages go.
  await page.goto(`${baseUrl}/api/organizations`);
  expect(await page.content()).toContain("Acme");

  // The person looks at the neighbour as well, from a page of the service too.
  const nextDoor = (await owner.post(`${preview}/share`, { sessionId: other.id })).body.data.share.url;
  await page.goto(nextDoor);
  await page.frameLocator("iframe").getByText("You are watching").waitFor({ timeout: 60_000 });

  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") void request.allHeaders().then(({ cookie = "" }) => posts.push(cookie));
  });
  await page.goto(url);
  const told = page.frameLocator("iframe").locator("#told");
  await told.filter({ hasText: "a way out" }).waitFor({ timeout: 60_000 });
  expect(JSON.parse((await told.textContent()) ?? "")).toEqual({
    cookies: "",
    "its surroundings": "refused: SecurityError",
    "the address of its surroundings": "refused: SecurityError",
    "a read with credentials": "refused: TypeError",
    "a public read": "refused: TypeError",
    "a post with credentials": "",
    "a sign-out": "",
    "a frame of the API": "",
    "whoever opened it": "null",
    "a share page in a frame": "",
    "what a window of the API holds": expect.stringMatching(/^(refused: SecurityError)?$/),
    "a neighbour's page": "refused: TypeError",
    "a neighbour in a frame": "",
    "a neighbour's socket": "",
    "a cookie for all previews": "",
    "a session for the service": "",
    "a worker before the service": "refused: SecurityError",
    "a module of the API": "refused: TypeError",
    "a letter to its surroundings": "",
    "a way out": "refused: SecurityError",
  });
  // The neighbour, whose token is in the same browser, is met by nothing that was planted.
  const cookies = await context.cookies();
  expect(cookies.filter(({ value }) => value === "planted")).toEqual([]);
  const frames = page.frames().map((frame) => frame.url());
  expect(frames.filter((address) => address.startsWith(neighbour.origin))).not.toEqual([]);

  await expect.poll(() => posts.length).toBeGreaterThanOrEqual(3);
  expect(posts.filter((cookie) => cookie.includes(value))).toEqual([]);
  expect(page.url()).toBe(url);
  expect(await person.call("GET", "/api/user/api-keys")).toMatchObject({ status: 200, body: keysBefore });
  await context.close();
});
