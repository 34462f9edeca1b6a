// The built docs as a whole: every link and anchor leads somewhere, and no page is too large.
import { expect, test } from "vitest";
import { loadDocs } from "../../../practice/docs.ts";
import { readApiDocument } from "../../../scripts/api-document.ts";
import { createPack } from "../../../site/pack.ts";
import { docsMegabytes, measureDocs, pageKb } from "../../../site/sizes.ts";
import { type DocsIndex, docsIndexKey, docsMissing } from "../../../src/docs/docs-key.ts";

const files = await loadDocs();
const texts = new Map<string, string>(
  files.map(({ path, base64 }) => [path, Buffer.from(base64, "base64").toString()]),
);
const pages = files.filter(({ kind }) => kind === "html").map(({ path }) => ({ path, html: texts.get(path) ?? "" }));
const isPage = new Set(pages.map(({ path }) => path));

/** What the service serves beside the docs. */
const served = new Set(["/", "/api/openapi.json"]);
const listIds = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
const ids = new Map(pages.map(({ path, html }) => [path, new Set(listIds(html))]));
const decode = (text: string) => decodeURIComponent(text.replaceAll("&amp;", "&"));

/** Links that lead nowhere, of a text with an address. */
function listBroken(path: string, links: string[]): string[] {
  return links.filter((link) => {
    const [target = "", anchor] = decode(link).split("#", 2);
    const page = target === "" ? path : target;
    if (/^(https?|mailto|data):/.test(page) || served.has(page)) return false;
    if (!texts.has(page)) return true;
    return anchor !== undefined && isPage.has(page) && !ids.get(page)?.has(anchor);
  });
}

test("there are pages of every kind", () => {
  const kinds = ["/docs/", "/docs/guide/crons", "/docs/reference/settings", "/docs/contract/part-1", "/docs/operate"];
  expect(
    [...kinds, "/docs/api/turns", "/docs/recipes/ci-gate", docsMissing].filter((path) => !isPage.has(path)),
  ).toEqual([]);
});

test.each(pages)("every link and anchor of $path leads somewhere", ({ path, html }) => {
  const links = [...html.matchAll(/ (?:href|src|data-index)="([^"]*)"/g)].map(([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(20);
  expect(listBroken(path, links)).toEqual([]);
  const all = listIds(html);
  expect(all.filter((id, index) => all.indexOf(id) !== index)).toEqual([]);
});

test("every page has its Markdown, and the Markdown leads to Markdown", () => {
  const markdown = pages
    .filter(({ path }) => path !== docsMissing)
    .map(({ path }) => (path.endsWith("/") ? `${path}index.md` : `${path}.md`));
  expect(markdown.filter((path) => !texts.get(path)?.startsWith("# "))).toEqual([]);
  const broken = markdown.flatMap((path) => {
    const prose = (texts.get(path) ?? "").replace(/^(`{3,})[\s\S]*?^\1/gm, "").replace(/`[^`\n]+`/g, "");
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    return [...listBroken(path, links), ...links.filter((link) => isPage.has(link))].map((link) => `${path}: ${link}`);
  });
  expect(broken).toEqual([]);
});

test("llms.txt lists the Markdown of all pages, and llms-api.txt all operations", async () => {
  const listed = [...(texts.get("/llms.txt") ?? "").matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(
    ([, path = ""]) => path,
  );
  expect(texts.get("/llms.txt")).toMatch(/^# Switchyard\n\n> \S/);
  expect(listed.sort()).toEqual([...texts.keys()].filter((path) => /^\/docs\/(?!files).*\.md$/.test(path)).sort());
  const operations = Object.entries((await readApiDocument()).paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== "parameters")
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const lines = (texts.get("/llms-api.txt") ?? "").trim().split("\n");
  expect(lines.map((line) => line.split(" ").slice(0, 2).join(" ")).sort()).toEqual(operations.sort());
});

test("the search leads to pages and anchors, and finds an operation by its id", () => {
  const index = [...texts].find(([path]) => /^\/docs\/search-[0-9a-f]{12}\.json$/.test(path))?.[1] ?? "[]";
  const rows: [title: string, place: string, address: string, words?: string][] = JSON.parse(index);
  expect(
    listBroken(
      "/docs/",
      rows.map(([, , address]) => address),
    ),
  ).toEqual([]);
  expect(rows.find(([, , , words]) => words?.endsWith(" createSession"))?.slice(0, 3)).toEqual([
    "Create a session",
    "Chat sessions",
    "/docs/api/chat-sessions#createSession",
  ]);
});

test("no page has inline scripts, styles or handlers, which its policy forbids", () => {
  const inline = /<script(?! src)|<style|\sstyle=|\son\w+="/;
  expect(
    pages.filter(({ html }) => inline.test(html.replace(/<code>[\s\S]*?<\/code>/g, ""))).map(({ path }) => path),
  ).toEqual([]);
});

test("a page is at most 25 KB gzipped, and all files together 40 MB", () => {
  const { pages: sizes, megabytes } = measureDocs(files);
  expect(sizes.filter(({ kb }) => kb > pageKb)).toEqual([]);
  expect(megabytes).toBeLessThan(docsMegabytes);
});

test("the pack has the bytes of every file, and its name changes with them", () => {
  const png = { path: "/docs/a.png", kind: "png" as const, base64: Buffer.from([0, 255, 10]).toString("base64") };
  const [pack, index] = createPack([{ path: "/docs/", kind: "html", base64: btoa("ü") }, png]);
  const { files: entries, pack: key }: DocsIndex = JSON.parse(Buffer.from(index?.bytes ?? []).toString());
  expect([pack?.key, index?.key]).toEqual([key, docsIndexKey]);
  const { at = 0, length = 0, kind } = entries["/docs/a.png"] ?? {};
  expect([[...(pack?.bytes.subarray(at, at + length) ?? [])], kind]).toEqual([[0, 255, 10], "png"]);
  expect(createPack([png])[0]?.key).not.toBe(key);
});
