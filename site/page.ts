// The HTML of a page: the bar, the navigation, the document and its table of contents.
import { html, type Markup } from "../practice/markup.ts";
import { docsMissing, docsStart } from "../src/docs/docs-key.ts";
import { getMarkdownPath } from "./links.ts";
import type { Heading } from "./markdown.ts";

export interface PageLink {
  path: string;
  label: string;
}

export interface Navigation {
  groups: { title: string; pages: PageLink[] }[];
}

export interface PageContent {
  path: string;
  title: string;
  summary: string;
  /** The title of its group. */
  group: string;
  headings: Heading[];
  /** Safe HTML. */
  html: string;
  before: PageLink | null;
  after: PageLink | null;
}

/** The addresses of what every page loads. */
export interface PageFiles {
  style: string;
  script: string;
  index: string;
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' stroke='%230f766e' stroke-width='3' stroke-linecap='round'%3E%3Cpath d='M3 22h26M9 22c7 0 7-12 14-12h6'/%3E%3C/svg%3E";

const raw = (text: string): Markup => ({ html: text });

/** The table of contents has two levels where the page is short enough. */
const mostContents = 40;

/** Renders a page. */
export function renderPage(page: PageContent, navigation: Navigation, files: PageFiles): string {
  const { path, title, summary, group } = page;
  const isStart = path === docsStart;
  const markdown = path === docsMissing ? null : getMarkdownPath(path);
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${summary}">
<title>${isStart ? "Switchyard docs" : `${title} · Switchyard docs`}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${files.style}">
${markdown && html`<link rel="alternate" type="text/markdown" href="${markdown}">`}
<script src="${files.script}" data-index="${files.index}" defer></script>
</head>
<body${raw(isStart ? ' class="start"' : "")}>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="home" href="/docs/" aria-label="Switchyard docs"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="M3 22h26M9 22c7 0 7-12 14-12h6"/></svg><span>Switchyard</span> <span class="of">docs</span></a>
<search id="search" hidden></search>
<a class="leave" href="/">Console</a>
<button class="menu" type="button" popovertarget="navigation">Menu</button>
</header>
<div class="columns">
<nav id="navigation" class="navigation" popover aria-label="Pages">${renderGroups(navigation, page)}<p class="leave"><a href="/">Console</a></p></nav>
<main id="content" tabindex="-1">
<article class="card">${isStart ? null : html`<p class="group">${group}</p>`}
${raw(page.html)}</article>
${renderTurns(page)}
${markdown && html`<p class="source"><a href="${markdown}">This page as Markdown</a></p>`}
</main>
${renderContents(page.headings)}
</div>
</body>
</html>`.html
  }\n`;
}

function renderGroups({ groups }: Navigation, { path, group }: PageContent): Markup[] {
  return groups.map(({ title, pages }) => {
    const links = pages.map(
      (page) =>
        html`<li><a href="${page.path}"${page.path === path ? raw(' aria-current="page"') : null}>${page.label}</a></li>`,
    );
    return html`<details${title === group || title === groups[0]?.title ? raw(" open") : null}><summary>${title}</summary><ul>${links}</ul></details>`;
  });
}

function renderTurns({ before, after }: PageContent): Markup | null {
  if (!before && !after) return null;
  return html`<nav class="turns" aria-label="Previous and next page">
${before && html`<a class="card" href="${before.path}"><span>Previous</span>${before.label}</a>`}
${after && html`<a class="card next" href="${after.path}"><span>Next</span>${after.label}</a>`}
</nav>`;
}

function renderContents(all: Heading[]): Markup | null {
  const below = all.filter(({ level, text }) => level === 2 || (level === 3 && !ofOperations.has(text)));
  const headings = below.length > mostContents ? below.filter(({ level }) => level === 2) : below;
  if (headings.length < 2) return null;
  const links = headings.map(
    ({ level, text, anchor }) =>
      html`<li${level === 3 ? raw(' class="sub"') : null}><a href="#${anchor}">${text}</a></li>`,
  );
  return html`<nav class="contents" aria-labelledby="contents-heading"><p id="contents-heading">On this page</p><ul>${links}</ul></nav>`;
}

/** The parts of an operation, which are the same for all of them. */
export const ofOperations = new Set(["Parameters", "Body", "Call", "Responses"]);
