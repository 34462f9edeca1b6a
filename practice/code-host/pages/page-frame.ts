// The frame of all pages of the code host: head, style and breadcrumbs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { html, type Markup } from "../../markup.ts";

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8");
// The service's pages use the same palette.
const style: Markup = { html: read("../../../src/pages/base.css") + read("pages.css") };

/**
 * The headers of a page. Its forms may lead only to this code host, and to `formTarget` if it is
 * set.
 */
export function getPageHeaders(formTarget = ""): Record<string, string> {
  const forms = `form-action 'self' ${formTarget}`.trim();
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; ${forms}; base-uri 'none'; frame-ancestors 'none'`,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
  };
}

export interface Frame {
  title: string;
  /** The breadcrumbs, outermost first. */
  trail?: [name: string, path: string][];
  content: Markup;
}

/** A whole page. */
export function renderPage({ title, trail = [], content }: Frame): string {
  const steps = trail.map(([name, path]) => html`<li><a href="${path}">${name}</a></li>`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Practice code host</title>
<style>${style}</style>
</head>
<body>
<header class="top"><nav aria-label="Where this is"><ol><li><a href="/">Practice code host</a></li>${steps}</ol></nav></header>
<main>
${content}
</main>
</body>
</html>
`.html;
}

/** A page of one sentence. */
export function renderMessagePage(title: string, words: string): string {
  return renderPage({ title, content: html`<h1>${title}</h1><p>${words}</p>` });
}

/** The page for a browser that has no key. */
export function renderStrangerPage(): string {
  const words =
    "It lets this browser in. What an agent runs reaches this address too, so nobody signs in here without the link.";
  return renderMessagePage("Open the sign-in link that npm start printed", words);
}

/** A form with one button. */
export function renderButton(label: string, path: string, fields: Record<string, string> = {}, kind = ""): Markup {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${path}">${hidden}<button class="${kind}">${label}</button></form>`;
}

/** A state as a small label. */
export function renderBadge(state: string): Markup {
  return html`<span class="badge" data-state="${state}">${state}</span>`;
}

/** A link to a commit, shown as the start of its id. */
export function commitLink(repository: string, sha: string): Markup {
  return html`<a class="sha" href="/${repository}/commit/${sha}">${sha.slice(0, 8)}</a>`;
}
