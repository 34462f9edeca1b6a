// Documents as HTML: titles, headings, tables, code and pictures.
import { expect, test } from "vitest";
import { renderMarkdown } from "../../../site/markdown.ts";

const targets = {
  pages: new Map([["docs/guide/crons.md", "/docs/guide/crons"]]),
  hasFile: (path: string) => path === "docs/console/inbox.png",
};
const render = (text: string) =>
  renderMarkdown({ document: "docs/guide/a.md", text, targets, highlight: (code) => code });

test("the title is the first heading, and the summary the first paragraph that says something", () => {
  const { title, summary, headings } = render(
    "# The `sy` *command*\n\nThe command blocks continue from [there](crons.md).\n\nIt works\nwith [crons](crons.md).\n\n## Options & flags\n\n### One",
  );
  expect({ title, summary }).toEqual({ title: "The sy command", summary: "It works with crons." });
  expect(headings.map(({ level, text, anchor }) => [level, text, anchor])).toEqual([
    [1, "The sy command", "the-sy-command"],
    [2, "Options & flags", "options--flags"],
    [3, "One", "one"],
  ]);
});

test.each([
  ["a heading links to itself", "## A <b", '<h2 id="a-b"><a class="anchor" href="#a-b">A &lt;b</a></h2>'],
  ["a link leads to the page", "[c](crons.md#x)", '<a href="/docs/guide/crons#x">c</a>'],
  [
    "a picture is served with the docs",
    "![An *inbox*](../console/inbox.png)",
    'src="/docs/files/console/inbox.png" alt="An inbox"',
  ],
  ["so is one in HTML", '<img src="../console/inbox.png" width="9">', 'src="/docs/files/console/inbox.png" width="9">'],
  ["code scrolls by keyboard", "```\na < b\n```", '<pre tabindex="0"><code>a < b</code></pre>'],
  [
    "an operation has its method",
    "```http\nGET /api/{id}\n```",
    'data-method="GET">GET</span> <code><wbr>/api<wbr>/<var>{id}</var>',
  ],
  ["a table has a name", "| a | b |\n|---|---|\n| 1 | 2 |", 'aria-label="Table: a, b"'],
  ["a column may have no heading", "| | b |\n|---|---|\n| 1 | 2 |", '<tr><td></td><th scope="col">b</th></tr>'],
  ["a cell may have a bar", "| a |\n|---|\n| `x \\| y` |", "<td><code>x | y</code></td>"],
  ["other HTML is text", "a <script>x</script>", "&lt;script&gt;x&lt;/script&gt;"],
])("%s", (_, text, part) => {
  expect(render(`# Title\n\n${text}`).html).toContain(part);
});

test.each([
  ["a link that leads nowhere", "# A\n\n[b](gone.md)", "docs/guide/a.md links to gone.md, which does not exist."],
  ["no first heading", "Text.", "docs/guide/a.md has no first heading."],
])("%s is an error", (_, text, message) => {
  expect(() => render(text)).toThrow(message);
});
