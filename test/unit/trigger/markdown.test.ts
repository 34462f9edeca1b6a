// What of a comment is quoted and what is code, by examples in the manner of CommonMark's own. The
// sections are those of CommonMark 0.31.
import { expect, test } from "vitest";
import { parseOwnText } from "../../../src/trigger/rules/markdown.ts";
import { parseMention } from "../../../src/trigger/rules/mention.ts";

test.each([
  ["Tabs", "\t@switchyard"],
  ["Tabs", "  \t@switchyard"],
  ["Tabs", "- foo\n\n\t\t@switchyard"],
  ["Tabs", ">\t\t@switchyard"],
  ["Tabs", "-\t\t@switchyard"],
  ["Backslash escapes", "\\@switchyard"],
  ["Fenced code blocks", "```\n@switchyard\n```"],
  ["Fenced code blocks", "~~~\n@switchyard\n~~~"],
  ["Fenced code blocks", "````\n```\n@switchyard\n``````"],
  ["Fenced code blocks", "```\n\n```not the end\n@switchyard"],
  ["Fenced code blocks", "> ```\n> @switchyard\n\nbbb"],
  ["Fenced code blocks", "   ```\n   aaa\n    ```\n@switchyard"],
  ["Fenced code blocks", "``` ```\n@none\n\n```js\n``` ```\n@switchyard"],
  ["Fenced code blocks", "- ```\n  @switchyard\n  ```"],
  ["Fenced code blocks", "1. a\n\n   ~~~\n   @switchyard\n\n   @switchyard"],
  ["Indented code blocks", "    @switchyard"],
  ["Indented code blocks", "Look:\n\n    @switchyard"],
  ["Indented code blocks", "# Title\n    @switchyard"],
  ["Indented code blocks", "Title\n---\n    @switchyard"],
  ["Indented code blocks", "***\n    @switchyard"],
  ["Indented code blocks", "    a\n\n\n    @switchyard"],
  ["Indented code blocks", "- foo\n\n      @switchyard"],
  ["Indented code blocks", "1.     @switchyard"],
  ["HTML blocks", "<pre>\n\n@switchyard\n\n</pre>"],
  ["HTML blocks", '<PRE lang="x"><b>\n@switchyard</b></Pre>'],
  ["HTML blocks", "<code>\n\n@switchyard\n</code>"],
  ["HTML blocks", "a\n<pre>@switchyard</pre>"],
  ["HTML blocks", "- <pre>\n\n  @switchyard"],
  ["Block quotes", "> # Foo\n> @switchyard"],
  ["Block quotes", "># Foo\n>bar\n> @switchyard"],
  ["Block quotes", "   > bar\n   > @switchyard"],
  ["Block quotes", "> bar\n@switchyard\n> foo"],
  ["Block quotes", "> foo\n    - @switchyard"],
  ["Block quotes", "> > > foo\n@switchyard"],
  ["Block quotes", ">>> foo\n> bar\n>> @switchyard"],
  ["Block quotes", "> bar\n===\n@switchyard"],
  ["List items", "- > @switchyard"],
  ["List items", "1.  A\n\n    > @switchyard"],
  ["List items", "> 1. > Blockquote\n@switchyard"],
  ["List items", "   > > 1.  one\n>>\n>>     @switchyard"],
  ["List items", "- a\n  - b\n    - > c\n@switchyard"],
  ["Code spans", "`@switchyard`"],
  ["Code spans", "`` foo ` @switchyard ``"],
  ["Code spans", "`foo\n@switchyard\nbaz`"],
  ["Code spans", "- `foo\n  @switchyard`"],
  ["Code spans", "\\\\`@switchyard`"],
  ["Code spans", "<code>@switchyard</code>"],
  ["Code spans", "Look: <code>a\n@switchyard</code>"],
  ["Code spans", "Look: <pre>@switchyard"],
  ["Links", '[x](u "@switchyard fix")'],
  ["Links", "[x](<u v> '@switchyard fix')"],
  ["Links", "[x](u(1)\n(@switchyard fix))"],
  ["Links", "- [x](@switchyard)"],
  ["Links", '[![x](u "a")](v "@switchyard")'],
  ["Link reference definitions", '[x]: u "@switchyard fix"'],
  ["Link reference definitions", "[x]: u\n  '@switchyard\nfix'\n[y]: <v> (@switchyard)\n"],
  ["Link reference definitions", "- [x]: @switchyard"],
  ["Images", "![@switchyard fix](u)"],
  ["Images", "![a [b] @switchyard fix](u)"],
  ["Images", "![@switchyard fix][x]\n\n[x]: u"],
  ["Raw HTML", '<img alt="@switchyard fix">'],
  ["Raw HTML", "a <a href=u title='@switchyard > fix'>b</a>"],
  ["Raw HTML", "<img\n  alt = @switchyard />"],
])("%s: no mention in %j", (_, body) => {
  expect(parseMention(body, "switchyard")).toBeNull();
});

test.each([
  ["Tabs", "foo\n\t@switchyard"],
  ["Backslash escapes", "\\\\@switchyard"],
  ["Backslash escapes", "\\`@switchyard`"],
  ["Backslash escapes", "`foo\\`@switchyard`"],
  ["Thematic breaks", "> foo\n---\n@switchyard"],
  ["Thematic breaks", "- foo\n***\n@switchyard"],
  ["ATX headings", "> # Foo\n@switchyard"],
  ["ATX headings", "# `Foo\n@switchyard `"],
  ["Setext headings", "`Foo\n----\n@switchyard `"],
  ["Indented code blocks", "  - foo\n\n    @switchyard"],
  ["Indented code blocks", "Foo\n    @switchyard"],
  ["Indented code blocks", "    foo\n@switchyard"],
  ["Fenced code blocks", "```\naaa\n  ```\n@switchyard"],
  ["Fenced code blocks", "> ```\n@switchyard"],
  ["Fenced code blocks", "- ```\n@switchyard"],
  ["Fenced code blocks", "``\n@switchyard\n"],
  ["HTML blocks", "<pre>\na\n</pre>\n@switchyard"],
  ["HTML blocks", "<pre>a</pre> @switchyard"],
  ["HTML blocks", "<preface>\n@switchyard"],
  ["Block quotes", "> foo\n\n@switchyard"],
  ["Block quotes", ">     code\n@switchyard"],
  ["Block quotes", "> bar\n>\n@switchyard"],
  ["Block quotes", "> aaa\n***\n> bbb\n\n@switchyard"],
  ["Block quotes", ">\n@switchyard"],
  ["List items", "- @switchyard"],
  ["List items", "> foo\n- @switchyard"],
  ["List items", "10) > foo\n\n    @switchyard"],
  ["List items", "- > foo\n- @switchyard"],
  ["List items", "- a\n\n  - b\n\n    @switchyard"],
  ["List items", "-\n  @switchyard"],
  ["Code spans", "`foo\n\n@switchyard `"],
  ["Code spans", "```foo`` @switchyard"],
  ["Code spans", "`foo` @switchyard `bar`"],
  ["Code spans", "<code>a</code> @switchyard"],
  ["Code spans", "<codex>@switchyard"],
  ["Links", "[@switchyard fix](u)"],
  ["Links", '[x](u "a") @switchyard'],
  ["Links", '[x] (u "@switchyard")'],
  ["Links", '\\[x\\](u "@switchyard")'],
  ["Links", '[x](u v "@switchyard")'],
  ["Link reference definitions", '[x]: u "a" @switchyard'],
  ["Link reference definitions", '[x]: u "a"\n@switchyard'],
  ["Link reference definitions", 'a\n[x]: u "@switchyard"'],
  ["Link reference definitions", "[^1]: @switchyard"],
  ["Images", "!\\[@switchyard](u)"],
  ["Images", "![a](u) @switchyard ![b](v)"],
  ["Raw HTML", '<img alt="a"> @switchyard'],
  ["Raw HTML", "<b>@switchyard</b>"],
  ["Raw HTML", 'a < b "@switchyard" >'],
  ["Raw HTML", "<a b, @switchyard>"],
])("%s: a mention in %j", (_, body) => {
  expect(parseMention(body, "switchyard")).not.toBeNull();
});

test("a quote in a list is no part of the request", () => {
  const body = "I disagree:\n- > hey @switchyard drop it\n  now\n\n1. No, @switchyard keep it";
  expect(parseMention(body, "switchyard")).toMatchObject({
    request: "I disagree:\n\n1. No, keep it",
    quoted: "hey @switchyard drop it\n  now",
  });
});

test("all places in the plain lines are those of the comment", () => {
  const body = "a `b` c\n\td <code>e\nf</code>\n\n    g\n<pre>h</pre> i";
  const { own, plain } = parseOwnText(body);
  expect(own.join("\n")).toBe(body);
  expect(plain).toEqual(["a     c", "\td        ", " </code>", "", "", `${" ".repeat(6)}</pre> i`]);
});

test.each([
  "- > ",
  "> - ",
  "- ",
  "> ",
  "1. ",
  "`",
  "` ``",
  "<code>",
  "<code ",
  "\\`",
  "- a\n",
  "- > a\n",
  "`\n",
  "    a\n\n",
  '<a b="',
  "<a b=\"' c='",
  '<a b=" " ',
  "![",
  "![a[b]",
  "[a]: b\n",
  '[a]: b "',
  "](a 'b' \"",
  "](a (",
  "](a(b",
  "](a\n\\",
  "](   ",
])("256 KB of %j are read in linear time", { timeout: 60_000 }, (piece) => {
  const long = piece.repeat(256_000 / piece.length);
  for (const text of [long, `${long}a${"\n".repeat(200_000)}`, `${long}\n\n@switchyard`, "`".repeat(500) + long])
    expect(() => parseMention(text, "switchyard")).not.toThrow();
});
