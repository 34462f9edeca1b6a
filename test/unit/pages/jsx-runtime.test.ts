// The pages are rendered by a stand-in for the JSX of hono. It renders what hono does.
import { raw } from "hono/html";
import * as hono from "hono/jsx/jsx-runtime";
import { expect, test } from "vitest";
import * as ours from "../../../src/pages/jsx-runtime.ts";

type Props = Record<string, unknown>;

/** What both have, of which the compiler adds the calls. Their types differ. */
interface Runtime {
  jsx(tag: string | ((props: Props) => object), props: Props): object;
  Fragment(props: Props): object;
}

const hostile = `<b title="'">&amp;</b>`;

const cases: [what: string, html: string, render: (runtime: Runtime) => object][] = [
  ["a text is escaped", "<p>&lt;b&gt; &amp; &#39;a&quot;</p>", ({ jsx }) => jsx("p", { children: `<b> & 'a"` })],
  ["an attribute is escaped", '<a href="?a=&quot;&amp;b"></a>', ({ jsx }) => jsx("a", { href: '?a="&b' })],
  ["HTML is as it is", `<main>${hostile}</main>`, ({ jsx }) => jsx("main", { children: raw(hostile) })],
  [
    "a boolean attribute has no value, and one that is false or null is missing",
    '<input required="" tabindex="-1" spellcheck="false"/>',
    ({ jsx }) => jsx("input", { required: true, hidden: false, name: null, tabindex: -1, spellcheck: false }),
  ],
  [
    "children that are null or boolean are missing, and lists are joined",
    "<ul>0<li>a</li><li>b</li></ul>",
    ({ jsx }) =>
      jsx("ul", { children: [null, false, 0, ["a", "b"].map((children) => jsx("li", { children })), undefined] }),
  ],
  [
    "a component gets its attributes and children",
    '<p class="c">x<br/></p>',
    ({ jsx, Fragment }) => {
      const Part = ({ name, children }: Props) => jsx("p", { class: name, children: [children, jsx("br", {})] });
      return jsx(Part, { name: "c", children: jsx(Fragment, { children: "x" }) });
    },
  ],
  [
    "a title, a style and a script are where they are written",
    '<head><title>T</title><style nonce="n">a > b {}</style><script nonce="n">1 && 2</script></head>',
    ({ jsx }) =>
      jsx("head", {
        children: [
          jsx("title", { children: "T" }),
          jsx("style", { nonce: "n", children: raw("a > b {}") }),
          jsx("script", { nonce: "n", children: raw("1 && 2") }),
        ],
      }),
  ],
];

test.each(cases)("%s", (_, html, render) => {
  expect(String(render(ours))).toBe(html);
  expect(String(render(hono))).toBe(html);
});
