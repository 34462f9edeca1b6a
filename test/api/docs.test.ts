// The docs as the service sends them: to everybody, on its own host only.
import { beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { exchange } from "../support/http-exchange.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(world.baseUrl + path, { headers, redirect: "manual" });

// The service answers before it has saved its docs.
beforeAll(() => until("the docs", async () => (await get("/docs/")).ok));

test.each([
  ["/docs/", "text/html; charset=utf-8", "<h1"],
  ["/docs/guide/crons", "text/html; charset=utf-8", "Crons</h1>"],
  ["/docs/guide/crons.md", "text/markdown; charset=utf-8", "# Crons"],
  ["/docs/api/turns", "text/html; charset=utf-8", 'id="sendMessage"'],
  ["/docs/files/console/inbox.png", "image/png", "PNG"],
  ["/llms.txt", "text/plain; charset=utf-8", "](/docs/guide/crons.md)"],
  ["/llms-api.txt", "text/plain; charset=utf-8", "/jobs/chat sendMessage: Send a message."],
])("%s is %s", async (path, mediaType, part) => {
  const answer = await get(path);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, mediaType]);
  expect(await answer.text()).toContain(part);
});

test("a page has the strict policy, and is sent again only after a change", async () => {
  const { headers } = await get("/docs/");
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
  expect(headers.get("content-security-policy")).not.toContain("unsafe");
  expect([headers.get("x-content-type-options"), headers.get("cache-control")]).toEqual([
    "nosniff",
    "public, no-cache",
  ]);
  const again = await get("/docs/", { "if-none-match": headers.get("etag") ?? "" });
  expect([again.status, again.headers.get("cache-control"), await again.text()]).toEqual([304, "public, no-cache", ""]);
});

test("what a page loads is kept by browsers", async () => {
  const page = await (await get("/docs/")).text();
  const loaded = [...page.matchAll(/ (?:href|src|data-index)="(\/docs\/[\w-]+\.(?:css|js|json))"/g)].map(
    ([, path]) => path,
  );
  expect(loaded).toHaveLength(3);
  for (const path of loaded) expect((await get(`${path}`)).headers.get("cache-control")).toContain("immutable");
});

test.each([
  ["/docs", "/docs/"],
  ["/docs/guide/crons/", "/docs/guide/crons"],
])("%s leads to %s", async (path, location) => {
  const { status, headers } = await get(path);
  expect([status, headers.get("location")]).toEqual([308, location]);
});

test("an address without a page leads to the start", async () => {
  const answer = await get("/docs/guide/gone");
  expect([answer.status, await answer.text()]).toEqual([
    404,
    expect.stringContaining('<a href="/docs/">The start page</a>'),
  ]);
});

test("a preview host has no docs of the service", async () => {
  const page = await exchange(world.baseUrl, { path: "/", headers: { accept: "text/html" } });
  const [, domain] = /frame-src \w+:\/\/\*\.([^;\s]+)/.exec(`${page.headers["content-security-policy"]}`) ?? [];
  const ofService = await exchange(world.baseUrl, { path: "/docs/", headers: { host: new URL(world.baseUrl).host } });
  const ofPreview = await exchange(world.baseUrl, { path: "/docs/", headers: { host: `a.${domain}` } });
  expect([domain, ofService.status]).toEqual([expect.stringMatching(/\w/), 200]);
  expect([ofPreview.status < 400, ofPreview.text.includes("Switchyard docs")]).toEqual([false, false]);
});
