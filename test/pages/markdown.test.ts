// Markdown on a page: what a document may say is shown, and nothing that it may try runs or loads as anything but an image.
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../src/pages/markdown.ts";

test("headings, lists, tables, tasks, code and footnotes are shown as such", () => {
  const html = renderMarkdown(
    "# Plan\n\n- [x] one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x = 1 < 2;\n```\n\nSee[^1].\n\n[^1]: There.",
  );
  for (const part of ["<h1>Plan</h1>", 'type="checkbox"', "<td>1</td>", "1 &lt; 2", "user-content-fn-1"])
    expect(html).toContain(part);
});

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<iframe src='https://example.com'></iframe>",
  "<svg/onload=alert(1)>",
  "a <b onclick='x'>b</b>",
  "<!-- a comment -->",
])("HTML stays text: %s", (markdown) => {
  expect(renderMarkdown(markdown)).not.toMatch(/<(?!\/?p>)/);
});

test.each([
  "[a](javascript:alert(1))",
  "[a](JaVaScRiPt:alert(1))",
  "[a](java&#x0A;script:alert(1))",
  "[a](vbscript:x)",
  "[a](data:text/html,<script>alert(1)</script>)",
  "<javascript:alert(1)>",
  "![a](javascript:alert(1))",
  '[a](javascript:alert(1) "title")',
  "[![a](javascript:alert(1))](javascript:alert(1))",
])("an address that runs something is left out, and its words stay text: %s", (markdown) => {
  expect(renderMarkdown(markdown)).toMatch(/^<p>(a|javascript:alert\(1\))<\/p>$/);
});

describe("a link", () => {
  test.each([
    ["[a](https://example.com/x)", "https://example.com/x"],
    ["https://example.com/x", "https://example.com/x"],
    ["<http://example.com/x>", "http://example.com/x"],
  ])("to elsewhere opens in a tab of its own: %s", (markdown, address) => {
    expect(renderMarkdown(markdown)).toContain(`<a target="_blank" rel="noopener noreferrer" href="${address}">`);
  });

  test("within the document stays within it", () => {
    expect(renderMarkdown("[a](#b)")).toContain('<a href="#b">');
  });

  test("that is written as text stays text", () => {
    expect(renderMarkdown('`<a href="https://example.com">`')).toContain(
      "&lt;a href=&quot;https://example.com&quot;&gt;",
    );
  });
});
