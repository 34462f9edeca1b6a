// Markdown as HTML in the look of the docs, with the headings that its table of contents needs.
import { Marked, type Tokens } from "marked";
import { escapeHtml } from "./escape-html.ts";
import type { Highlighter } from "./highlight.ts";
import { createAnchors, findLink, type LinkTargets, parseHeading } from "./links.ts";

export interface Heading {
  level: number;
  text: string;
  anchor: string;
}

export interface Rendered {
  html: string;
  /** The text of the first heading. */
  title: string;
  /** The first paragraph without its links. */
  summary: string;
  headings: Heading[];
  /** The files of the repository that the page shows or links to. */
  files: string[];
}

export interface MarkdownSource {
  /** The document's path in the repository, from which its links lead. */
  document: string;
  text: string;
  targets: LinkTargets;
  highlight: Highlighter;
}

/** The HTML that documents may contain. Everything else is shown as text. */
const allowedHtml = /^\s*<\/?(img|br|kbd|details|summary)\b[^>]*>\s*$/;

/** A first paragraph that does not say what the page is about. */
const saysNothing = /^The command blocks continue|^\W*$/;

/** Renders a document. A link that leads nowhere is an error. */
export function renderMarkdown({ document, text, targets, highlight }: MarkdownSource): Rendered {
  const anchors = createAnchors();
  const headings: Heading[] = [];
  const files: string[] = [];
  let summary = "";

  function resolve(href: string): string {
    const link = findLink(document, href, targets);
    if (link === null) throw new Error(`${document} links to ${href}, which does not exist.`);
    if (link.file !== null) files.push(link.file);
    return link.href;
  }

  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const heading = parseHeading(getText(tokens));
        const anchor = heading.anchor ?? anchors(heading.text);
        headings.push({ level: depth, text: heading.text, anchor });
        const inner = this.parser.parseInline(tokens).replace(/\s*\{#[\w-]+\}$/, "");
        if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`;
        // The name of the link is hidden from screen readers, as it would repeat the heading.
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${inner}</a></h${depth}>\n`;
      },
      paragraph({ tokens }) {
        const words = getText(tokens).replace(/\s+/g, " ");
        if (summary === "" && headings.length > 0 && !saysNothing.test(words)) summary = words;
        return `<p>${this.parser.parseInline(tokens)}</p>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(resolve(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text, tokens }) {
        const alt = tokens ? getText(tokens) : text;
        return `<img src="${escapeHtml(resolve(href))}" alt="${escapeHtml(alt)}" loading="lazy">`;
      },
      html({ text: html }) {
        if (!allowedHtml.test(html)) return escapeHtml(html);
        return html.replace(/\bsrc="([^"]+)"/g, (_, src: string) => `loading="lazy" src="${escapeHtml(resolve(src))}"`);
      },
      code({ text: code, lang }) {
        if (lang === "http") return renderRoute(code);
        return `<pre tabindex="0"><code>${highlight(code, lang ?? "")}</code></pre>\n`;
      },
      table(token) {
        const head = token.header.map((cell) =>
          // A heading of a column has text.
          cell.text === "" ? "<td></td>" : `<th scope="col">${this.parser.parseInline(cell.tokens)}</th>`,
        );
        const rows = token.rows.map(
          (row) => `<tr>${row.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`).join("")}</tr>`,
        );
        const name = escapeHtml(token.header.map((cell) => getText(cell.tokens)).join(", "));
        return `<div class="table" role="group" tabindex="0" aria-label="Table: ${name}"><table><thead><tr>${head.join("")}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div>\n`;
      },
    },
  });

  const html = marked.parse(text, { async: false });
  const title = headings.find(({ level }) => level === 1)?.text;
  if (title === undefined) throw new Error(`${document} has no first heading.`);
  return { html, title, summary, headings, files };
}

/** The method and the path of an operation. A path may break after each part. */
function renderRoute(code: string): string {
  const [method = "", path = ""] = code.split(" ");
  const parts = escapeHtml(path)
    .replace(/\//g, "<wbr>/")
    .replace(/\{\w+\}/g, "<var>$&</var>");
  return `<p class="route"><span class="method" data-method="${escapeHtml(method)}">${escapeHtml(method)}</span> <code>${parts}</code></p>\n`;
}

/** The text of inline tokens, without their marks. */
function getText(tokens: Tokens.Generic[]): string {
  return tokens.map((token) => (token.tokens ? getText(token.tokens) : toPlain(token.text ?? ""))).join("");
}

/** A text of a heading without the entities that its source may have. */
const toPlain = (text: string): string =>
  text
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
