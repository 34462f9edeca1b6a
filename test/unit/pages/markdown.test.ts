// Markdown on a page: the text of a document is shown, and nothing in it runs or loads anything.
import { describe, expect, test } from "vitest";
import { getLayout, renderMarkdown } from "../../../src/artifact/page/markdown.ts";

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
  ])("to another site opens in a new tab: %s", (markdown, address) => {
    expect(renderMarkdown(markdown)).toContain(`<a target="_blank" rel="noopener noreferrer" href="${address}">`);
  });

  test("within the document stays in the page", () => {
    expect(renderMarkdown("[a](#b)")).toContain('<a href="#b">');
  });

  test("that is written as text stays text", () => {
    expect(renderMarkdown('`<a href="https://example.com">`')).toContain(
      "&lt;a href=&quot;https://example.com&quot;&gt;",
    );
  });
});

describe("an image of another server is replaced by a link", () => {
  const opens = 'target="_blank" rel="noopener noreferrer"';
  test.each([
    ["![A cat](https://a.example/c.png)", `<a ${opens} href="https://a.example/c.png">Image: A cat</a>`],
    ["![](https://a.example/c.png)", `<a ${opens} href="https://a.example/c.png">Image: https://a.example/c.png</a>`],
    ['![A "cat"](/c.png "title")', '<a href="/c.png">Image: A &quot;cat&quot;</a>'],
    ["[![A cat](https://a.example/c.png)](https://b.example)", `<a ${opens} href="https://b.example">A cat</a>`],
  ])("%s", (markdown, shown) => {
    expect(renderMarkdown(markdown)).toBe(`<p>${shown}</p>`);
  });
});

describe("a document that is too complex is shown as text, with a note", () => {
  test.each<[string, string]>([
    ["a list in a list in a list", "- ".repeat(4_500)],
    ["a megabyte", "harmless text ".repeat(80_000)],
    ["lists without end", `${"- ".repeat(10)}a\n\n`.repeat(900)],
    ["emphasis that nothing ends", "*a".repeat(30_000)],
    ["images that nothing ends", `${"![".repeat(600)}${"]".repeat(60_000)}`],
    ["lines of one paragraph", "a\n".repeat(30_000)],
    ["HTML that nothing ends", "<?".repeat(30_000)],
    ["cells", "|a".repeat(30_000)],
  ])("%s", (_, text) => {
    const html = renderMarkdown(text);
    expect(html).toMatch(/^<p><em>This document is too large or too nested[^<]*shown as text\.<\/em><\/p><pre>/);
    expect(html).toContain(text.slice(0, 100).replaceAll("<", "&lt;"));
  });

  test("without any HTML", () => {
    expect(renderMarkdown("<script>alert(1)</script>&".repeat(4_000))).not.toMatch(/<(?!\/?(p|em|pre)>)/);
  });

  test.each<[string, string]>([
    ["a long report", "## Part\n\nSome *words*, a [link](https://a.example) and `code`.\n\n".repeat(400)],
    ["a long list", "- an **item** of a list, with some words\n".repeat(300)],
    ["a long table", `|a|b|c|\n|-|-|-|\n${"|some words|more words|1|\n".repeat(200)}`],
    ["a long program", `\`\`\`js\n${"const x = call(a[0], { b: 1 });\n\n".repeat(300)}\`\`\``],
  ])("but %s is not", (_, text) => {
    expect(renderMarkdown(text)).not.toContain("shown as text");
  });
});

test("a version is rendered once, and later visitors get the stored result", async () => {
  const objects = new Map<string, string>();
  const store = {
    get: async (key: string) => (objects.has(key) ? { text: async () => objects.get(key) } : null),
    put: async (key: string, html: string) => void objects.set(key, html),
  } as unknown as R2Bucket;
  expect(await getLayout(store, "body-1", "# One")).toBe("<h1>One</h1>");
  const [key = ""] = objects.keys();
  objects.set(key, "kept");
  expect(await getLayout(store, "body-1", "# One")).toBe("kept");
  expect(await getLayout(store, "body-2", "# Two")).toBe("<h1>Two</h1>");
});
