// The links between documents, as links between the pages of the docs; and the anchors of headings.
import { describe, expect, test } from "vitest";
import { createAnchors, findLink, formatMarkdownLinks, getMarkdownPath, parseHeading } from "../../../site/links.ts";

const targets = {
  pages: new Map([
    ["README.md", "/docs/quick-start"],
    ["docs/guide/crons.md", "/docs/guide/crons"],
    ["docs/decisions/README.md", "/docs/decisions"],
    ["site/start.md", "/docs/"],
  ]),
  anchors: new Map([["docs/guide/crons.md#far", "/docs/guide/crons/far#far"]]),
  hasFile: (path: string) => ["docs/console/inbox.png", "examples/gate.mjs"].includes(path),
};

describe("a link of a document", () => {
  test.each([
    ["docs/guide/api.md", "crons.md", "/docs/guide/crons"],
    ["docs/guide/api.md", "./crons.md#a-run", "/docs/guide/crons#a-run"],
    ["docs/guide/api.md", "crons.md#far", "/docs/guide/crons/far#far"],
    ["docs/guide/api.md", "../../README.md#quick-start", "/docs/quick-start#quick-start"],
    ["README.md", "docs/decisions/", "/docs/decisions"],
    ["docs/guide/crons.md", "../../site/start.md", "/docs/"],
    ["docs/guide/crons.md", "#a-run", "#a-run"],
    ["docs/guide/crons.md", "/api/openapi.json", "/api/openapi.json"],
    ["docs/guide/crons.md", "https://example.com/a.md", "https://example.com/a.md"],
  ])("in %s to %s leads to %s", (document, href, page) => {
    expect(findLink(document, href, targets)).toEqual({ href: page, file: null });
  });

  test.each([
    ["docs/guide/console.md", "../console/inbox.png", "/docs/files/console/inbox.png", "docs/console/inbox.png"],
    ["README.md", "examples/gate.mjs", "/docs/files/examples/gate.mjs", "examples/gate.mjs"],
  ])("in %s to the file %s is served with the docs", (document, href, path, file) => {
    expect(findLink(document, href, targets)).toEqual({ href: path, file });
  });

  test.each(["gone.md", "../../../../etc/passwd", "../console/gone.png"])("to %s leads nowhere", (href) => {
    expect(findLink("docs/guide/api.md", href, targets)).toBeNull();
  });
});

test.each([
  ["/docs/", "/docs/index.md"],
  ["/docs/guide/crons", "/docs/guide/crons.md"],
])("the Markdown of %s is at %s", (page, markdown) => {
  expect(getMarkdownPath(page)).toBe(markdown);
});

test.each([
  ["a page becomes its Markdown", "[a](crons.md#a-run)", "[a](/docs/guide/crons.md#a-run)"],
  ["a picture becomes an address", '<img src="../console/inbox.png">', '<img src="/docs/files/console/inbox.png">'],
  ["a link inside of code remains", "`[a](crons.md)`", "`[a](crons.md)`"],
  [
    "so does one in a block",
    "```\n[a](crons.md)\n```\n[a](crons.md)",
    "```\n[a](crons.md)\n```\n[a](/docs/guide/crons.md)",
  ],
  ["and one in a longer fence", "````\n```\n[a](crons.md)\n```\n````", "````\n```\n[a](crons.md)\n```\n````"],
  ["another site remains", "[a](https://example.com)", "[a](https://example.com)"],
  ["an anchor of a heading is left out", "## Create {#create}\ntext", "## Create\ntext"],
])("in the Markdown beside a page, %s", (_, text, expected) => {
  expect(formatMarkdownLinks("docs/guide/api.md", text, targets)).toBe(expected);
});

test("anchors are those of the code host, and each is there once", () => {
  const anchor = createAnchors();
  expect(
    ["Quick start", "What's `new`?", "2a. Shapes", "Back up, and restore", "Quick start", "snake_case – ü"].map(anchor),
  ).toEqual(["quick-start", "whats-new", "2a-shapes", "back-up-and-restore", "quick-start-1", "snake_case--ü"]);
});

test.each([
  ["Create a session {#createSession}", "Create a session", "createSession"],
  ["The body `{ a }`", "The body `{ a }`", null],
])("the heading %s", (heading, text, anchor) => {
  expect(parseHeading(heading)).toEqual({ text, anchor });
});
