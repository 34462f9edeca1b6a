// The answers of the docs, from a bucket in memory.
import { expect, test } from "vitest";
import { createPack } from "../../../site/pack.ts";
import { docsMissing } from "../../../src/docs/docs-key.ts";
import { sendDocs } from "../../../src/docs/docs-route.ts";
import type { Env } from "../../../src/env.ts";

const packed = createPack([
  { path: "/docs/", kind: "html", base64: btoa("start") },
  { path: "/docs/guide", kind: "html", base64: btoa("guide") },
  { path: "/docs/guide.md", kind: "md", base64: btoa("# Guide") },
  { path: "/docs/style-0123456789ab.css", kind: "css", base64: btoa("a{}") },
  { path: docsMissing, kind: "html", base64: btoa("missing") },
]);

function openBucket(objects: typeof packed): Env {
  const get = async (key: string, options?: { range: { offset: number; length: number } }) => {
    const bytes = objects.find((one) => one.key === key)?.bytes;
    if (!bytes) return null;
    const { offset = 0, length = bytes.length } = options?.range ?? {};
    const part = Buffer.from(bytes.subarray(offset, offset + length));
    return { body: part, json: async () => JSON.parse(part.toString()) };
  };
  return { STORE: { get } } as unknown as Env;
}

const ask = (path: string, headers: Record<string, string> = {}, objects = packed) =>
  sendDocs(new Request(`https://sy.test${path}`, { headers }), openBucket(objects));

test.each([
  ["/docs/", 200, "start", "text/html; charset=utf-8"],
  ["/docs/guide", 200, "guide", "text/html; charset=utf-8"],
  ["/docs/guide?x=1", 200, "guide", "text/html; charset=utf-8"],
  ["/docs/guide.md", 200, "# Guide", "text/markdown; charset=utf-8"],
  ["/docs/gone", 404, "missing", "text/html; charset=utf-8"],
  [docsMissing, 404, "missing", "text/html; charset=utf-8"],
  ["/docs/__proto__", 404, "missing", "text/html; charset=utf-8"],
])("%s is %i: %s", async (path, status, text, mediaType) => {
  const answer = await ask(path);
  expect([answer.status, await answer.text(), answer.headers.get("content-type")]).toEqual([status, text, mediaType]);
});

test.each([
  ["/docs", "/docs/"],
  ["/docs?x=1", "/docs/?x=1"],
  ["/docs/guide/", "/docs/guide"],
  ["/docs/guide//", "/docs/guide"],
])("%s leads to %s", async (path, location) => {
  const answer = await ask(path);
  expect([answer.status, answer.headers.get("location")]).toEqual([308, location]);
});

test("a browser keeps a file whose name changes, and asks again for a page", async () => {
  const read = async (path: string) => (await ask(path)).headers.get("cache-control");
  expect(await read("/docs/style-0123456789ab.css")).toBe("public, max-age=31536000, immutable");
  expect(await read("/docs/")).toBe("public, no-cache");
  expect(await read("/docs/style-ba9876543210.css")).toBe("public, no-cache");
});

test("a page that has not changed is not sent again, and a missing one always is", async () => {
  const tag = (await ask("/docs/guide")).headers.get("etag") ?? "";
  expect((await ask("/docs/guide", { "if-none-match": `W/"x", ${tag}` })).status).toBe(304);
  expect((await ask("/docs/guide", { "if-none-match": '"x"' })).status).toBe(200);
  const missing = (await ask("/docs/gone")).headers.get("etag") ?? "";
  expect((await ask("/docs/gone", { "if-none-match": missing })).status).toBe(404);
});

test.each([
  ["nothing is saved yet", []],
  ["the pack of the index is gone", packed.slice(1)],
])("while %s, a page says that the docs are being built", async (_, objects) => {
  const answer = await ask("/docs/guide", {}, objects);
  expect([answer.status, answer.headers.get("refresh")]).toEqual([503, "2"]);
  expect(await answer.text()).toContain("They are being built.");
});
